"""What SARIF 2.1.0 asks for, as far as our logs use it: which properties each object may and must have, and what their values may be.

From the published standard (OASIS, sections 3.13 to 3.58). A misspelt property is an error here, as in the schema's additionalProperties.
"""
import json
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
NOT_EMPTY = {"codeFlow.threadFlows", "threadFlow.locations", "message.text", "toolComponent.name", "reportingDescriptor.id", "artifactLocation.uri", "multiformatMessageString.text", "threadFlow.id"}
# The schema's uniqueItems.
UNIQUE = {"toolComponent.rules", "result.relatedLocations", "result.stacks", "result.suppressions", "location.logicalLocations", "location.relationships", "threadFlowLocation.kinds"}
FORMS = {
    "toolComponent.semanticVersion": r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?",
    "invocation.startTimeUtc": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "invocation.endTimeUtc": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z",
    "log.$schema": r"https://\S+/sarif-schema-2\.1\.0\.json",
    "reportingDescriptor.id": r"[a-z0-9]+(-[a-z0-9]+)*(/\S+)?", "reportingDescriptor.name": r"([A-Z][a-z0-9]+)+",
    "reportingDescriptor.helpUri": r"https?://\S+", "toolComponent.informationUri": r"https?://\S+",
}
# RFC 3986: what a reference may consist of. No backslashes, no spaces, and a percent sign only before two digits.
URI = re.compile(r"([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+")
# Section 3.5.4.2: a hierarchical string, and a version behind it.
FINGERPRINT = re.compile(r"[^/\s]+(/[^/\s]+)*/v\d+")
LINK = re.compile(r"(?<!\\)\[[^\]]*\]\(([^)]*)\)")


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
        if key in FORMS and not re.fullmatch(FORMS[key], str(inner)):
            wrong.append(f"{here} is {inner!r}")
        if key in UNIQUE and isinstance(inner, list) and len({json.dumps(one, sort_keys=True) for one in inner}) != len(inner):
            wrong.append(f"{here} has something twice")
        if name == "properties" and not (isinstance(inner, dict) and all(isinstance(tag, str) for tag in inner.get("tags", [])) and len(set(inner.get("tags", []))) == len(inner.get("tags", []))):
            wrong.append(f"{here} is no property bag")
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


def _look_at_uri(uri, wrong):
    """Section 3.10.1, and what keeps one file from having two names."""
    parsed = urlparse(uri)
    if not URI.fullmatch(uri):
        wrong.append(f"{uri} is no URI")
    if parsed.scheme == "file" and not re.match(r"file:///[^/]", uri):
        wrong.append(f"{uri}: a file on no machine has three slashes")
    if any(part in ("", ".", "..") for part in parsed.path.strip("/").split("/")):
        wrong.append(f"{uri} is not normalised")
    if parsed.query or parsed.fragment:
        wrong.append(f"{uri} is a file with ? or #, which must be escaped")


def _look_at_region(region, wrong):
    if "startLine" not in region and region.keys() & {"startColumn", "endLine", "endColumn"}:
        wrong.append("a region without a line has columns")
    if region.get("endLine", region.get("startLine", 1)) < region.get("startLine", 1):
        wrong.append("a region ends before it begins")


def _regions(value):
    if isinstance(value, dict):
        if "region" in value:
            yield value["region"]
        for inner in value.values():
            yield from _regions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _regions(inner)


def _look_at_result(result, wrong):
    """What lies across the properties of one result."""
    ids = {location["id"] for location in result.get("relatedLocations", []) if "id" in location}
    for link in LINK.findall(result.get("message", {}).get("text", "")):
        if link.isdigit() and int(link) not in ids:
            wrong.append(f"the message has a link to {link}, which no related location is")
    for flow in result.get("codeFlows", []):
        names = [thread.get("id") for thread in flow.get("threadFlows", [])]
        if len(set(names)) != len(names):
            wrong.append("two thread flows of a code flow have one id")
        for thread in flow.get("threadFlows", []):
            if not all("location" in step or "index" in step for step in thread.get("locations", [])):
                wrong.append("a step of a thread flow is nowhere")
    if not result.get("partialFingerprints"):
        wrong.append("a result has no fingerprint")
    wrong += [f"{name} has no version" for name in result.get("partialFingerprints", {}) if not FINGERPRINT.fullmatch(name)]
    if result.get("locations") and not any(one.get("physicalLocation") or one.get("logicalLocations") for one in result["locations"]):
        wrong.append("a location of a result is nowhere")


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
        _look_at_uri(base["uri"], wrong)
    for location in _artifacts(run.get("results", [])):
        uri = urlparse(location["uri"])
        if "uriBaseId" in location and (uri.scheme or location["uri"].startswith("/")):
            wrong.append(f"{location['uri']} is not relative, and has a base")
        if "uriBaseId" in location and location["uriBaseId"] not in bases:
            wrong.append(f"there is no base {location['uriBaseId']}")
        if "uriBaseId" not in location and not uri.scheme:
            wrong.append(f"{location['uri']} is relative to nothing")
        _look_at_uri(location["uri"], wrong)
    for region in _regions(run.get("results", [])):
        _look_at_region(region, wrong)
    prints = [json.dumps(result.get("partialFingerprints"), sort_keys=True) for result in run.get("results", [])]
    if len(set(prints)) != len(prints):
        wrong.append("two results have the same fingerprints")
    for result in run.get("results", []):
        _look_at_result(result, wrong)
        index = result.get("ruleIndex", -1)
        if not 0 <= index < len(rules) or rules[index] != result.get("ruleId"):
            wrong.append(f"{result.get('ruleId')} is not the rule {index}")
        if result.get("kind", "fail") != "fail" and result.get("level", "warning") != "none":
            wrong.append("only a failure has a level")
        ids = [location["id"] for location in result.get("relatedLocations", []) if "id" in location]
        if len(set(ids)) != len(ids):
            wrong.append("two related locations have one id")
        if not all(isinstance(value, str) for value in result.get("partialFingerprints", {}).values()):
            wrong.append("a fingerprint is no text")
