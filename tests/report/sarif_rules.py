"""What SARIF 2.1.0 asks for, as far as our logs use it: which properties each object may and must have, and what their values may be.

From the published standard (OASIS, sections 3.13 to 3.58). A misspelt property is an error here, as in the schema's additionalProperties.
"""
import re
from urllib.parse import urlparse

# object: (must have, may have besides)
OBJECTS = {
    "log": ("version runs", "$schema inlineExternalProperties properties"),
    "run": ("tool", "results invocations originalUriBaseIds artifacts columnKind properties automationDetails baselineGuid"),
    "tool": ("driver", "extensions properties"),
    "toolComponent": ("name", "semanticVersion version informationUri rules organization fullName properties"),
    "reportingDescriptor": ("id", "name shortDescription fullDescription help helpUri defaultConfiguration properties deprecatedIds"),
    "reportingConfiguration": ("", "level enabled rank parameters properties"),
    "multiformatMessageString": ("text", "markdown properties"),
    "message": ("text", "markdown id arguments properties"),
    "invocation": ("executionSuccessful", "commandLine toolExecutionNotifications exitCode startTimeUtc endTimeUtc properties"),
    "notification": ("message", "level locations descriptor properties"),
    "result": ("message", "ruleId ruleIndex level kind locations relatedLocations stacks codeFlows partialFingerprints fingerprints occurrenceCount suppressions baselineState properties"),
    "location": ("", "id physicalLocation logicalLocations message annotations relationships properties"),
    "physicalLocation": ("", "artifactLocation region contextRegion properties"),
    "artifactLocation": ("", "uri uriBaseId index description properties"),
    "region": ("", "startLine startColumn endLine endColumn snippet properties"),
    "logicalLocation": ("", "name fullyQualifiedName kind index parentIndex decoratedName properties"),
    "stack": ("frames", "message properties"),
    "stackFrame": ("", "location module threadId parameters properties"),
    "codeFlow": ("threadFlows", "message properties"),
    "threadFlow": ("locations", "id message initialState immutableState properties"),
    "threadFlowLocation": ("", "index location stack kinds importance nestingLevel executionOrder properties"),
    "suppression": ("kind", "status justification location guid properties"),
}
# object.property: the object that it is, or holds (with []), or maps to (with {})
INSIDE = {
    "log.runs": "run[]", "run.tool": "tool", "tool.driver": "toolComponent", "toolComponent.rules": "reportingDescriptor[]",
    "reportingDescriptor.shortDescription": "multiformatMessageString", "reportingDescriptor.fullDescription": "multiformatMessageString",
    "reportingDescriptor.help": "multiformatMessageString", "reportingDescriptor.defaultConfiguration": "reportingConfiguration",
    "run.invocations": "invocation[]", "invocation.toolExecutionNotifications": "notification[]", "notification.message": "message",
    "run.originalUriBaseIds": "artifactLocation{}", "run.results": "result[]", "result.message": "message", "result.locations": "location[]",
    "result.relatedLocations": "location[]", "result.stacks": "stack[]", "result.codeFlows": "codeFlow[]", "result.suppressions": "suppression[]",
    "location.physicalLocation": "physicalLocation", "location.logicalLocations": "logicalLocation[]", "location.message": "message",
    "physicalLocation.artifactLocation": "artifactLocation", "physicalLocation.region": "region", "stack.frames": "stackFrame[]", "stack.message": "message",
    "stackFrame.location": "location", "codeFlow.threadFlows": "threadFlow[]", "codeFlow.message": "message", "threadFlow.locations": "threadFlowLocation[]",
    "threadFlow.message": "message", "threadFlowLocation.location": "location",
}
VALUES = {
    "log.version": {"2.1.0"}, "result.level": {"none", "note", "warning", "error"}, "notification.level": {"none", "note", "warning", "error"},
    "reportingConfiguration.level": {"none", "note", "warning", "error"}, "run.columnKind": {"utf16CodeUnits", "unicodeCodePoints"},
    "result.kind": {"pass", "open", "informational", "notApplicable", "review", "fail"}, "result.baselineState": {"new", "unchanged", "updated", "absent"},
    "suppression.kind": {"inSource", "external"}, "suppression.status": {"accepted", "underReview", "rejected"},
    "threadFlowLocation.importance": {"important", "essential", "unimportant"},
}
AT_LEAST = {"region.startLine": 1, "region.startColumn": 1, "result.occurrenceCount": 1, "result.ruleIndex": -1, "location.id": -1}
NOT_EMPTY = {"codeFlow.threadFlows", "threadFlow.locations", "message.text", "toolComponent.name", "reportingDescriptor.id"}


def broken_rules(log):
    """What is wrong with a log; nothing if all is well."""
    wrong = []
    _look(log, "log", "log", wrong)
    for run in log.get("runs", []):
        _look_at_run(run, wrong)
    return wrong


def _look(value, kind, path, wrong):
    if not isinstance(value, dict):
        wrong.append(f"{path} is no {kind}")
        return
    must, may = (set(words.split()) for words in OBJECTS[kind])
    wrong += [f"{path} has no {name}" for name in sorted(must - value.keys())]
    wrong += [f"{path} has {name}, which no {kind} has" for name in sorted(value.keys() - must - may)]
    for name, inner in value.items():
        key, here = f"{kind}.{name}", f"{path}.{name}"
        if key in VALUES and inner not in VALUES[key]:
            wrong.append(f"{here} is {inner!r}")
        if key in AT_LEAST and not (isinstance(inner, int) and inner >= AT_LEAST[key]):
            wrong.append(f"{here} is {inner!r}")
        if key in NOT_EMPTY and not inner:
            wrong.append(f"{here} is empty")
        inside = INSIDE.get(key)
        if inside is None:
            continue
        if inside.endswith("[]"):
            if not isinstance(inner, list):
                wrong.append(f"{here} is no list")
                continue
            for i, one in enumerate(inner):
                _look(one, inside[:-2], f"{here}[{i}]", wrong)
        elif inside.endswith("{}"):
            for at, one in inner.items():
                _look(one, inside[:-2], f"{here}.{at}", wrong)
        else:
            _look(inner, inside, here, wrong)


def _artifacts(value):
    if isinstance(value, dict):
        if "artifactLocation" in value:
            yield value["artifactLocation"]
        for inner in value.values():
            yield from _artifacts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _artifacts(inner)


def _look_at_run(run, wrong):
    rules = [rule["id"] for rule in run["tool"]["driver"].get("rules", [])]
    if len(set(rules)) != len(rules):
        wrong.append("two rules have one id")
    bases = run.get("originalUriBaseIds", {})
    for name, base in bases.items():
        if not urlparse(base["uri"]).scheme or not base["uri"].endswith("/"):
            wrong.append(f"{name}: {base['uri']} is no absolute URI of a folder")
    for location in _artifacts(run.get("results", [])):
        uri = urlparse(location["uri"])
        if "uriBaseId" in location and (uri.scheme or location["uri"].startswith("/")):
            wrong.append(f"{location['uri']} is not relative, and has a base")
        if "uriBaseId" in location and location["uriBaseId"] not in bases:
            wrong.append(f"there is no base {location['uriBaseId']}")
        if "uriBaseId" not in location and not uri.scheme:
            wrong.append(f"{location['uri']} is relative to nothing")
        if re.search(r"[\\ <>\"{}|^`]", location["uri"]):
            wrong.append(f"{location['uri']} is no URI")
    for result in run.get("results", []):
        if result.get("ruleId") not in rules or rules[result.get("ruleIndex", -1)] != result["ruleId"]:
            wrong.append(f"{result.get('ruleId')} is not the rule {result.get('ruleIndex')}")
        if result.get("kind", "fail") != "fail" and result.get("level", "warning") != "none":
            wrong.append("only a failure has a level")
        ids = [location["id"] for location in result.get("relatedLocations", []) if "id" in location]
        if len(set(ids)) != len(ids):
            wrong.append("two related locations have one id")
        if not all(isinstance(value, str) for value in result.get("partialFingerprints", {}).values()):
            wrong.append("a fingerprint is no text")
