"""A cluster of several nodes on one machine, made of Linux namespaces.

Each node has its own network (a veth pair to a bridge; TCP is the only way between nodes), host name, processes, System V
shared memory, private /tmp and /dev/shm, and its own boot id, so that the nodes count as machines with different clocks.
All other directories are shared by the nodes, as over a cluster's network file system.

    python3 tests/cluster/cluster.py -- mpirun.openmpi -n 3 hostname      runs a command on node1
    python3 tests/cluster/cluster.py --slurm -- srun -n 3 hostname        with a Slurm cluster over the nodes
    python3 tests/cluster/cluster.py --nodes 2 -- bash                    a shell on node1
    node2$ on-node node3 COMMAND                                          as ssh, from one node to another

From Python:
    import cluster
    cluster.enter()                          # first: from here on the script runs inside the namespaces, or ends with 77
    with cluster.Cluster(slurm=True) as nodes:
        done = nodes.run("node1", ["mpirun.openmpi", "-n", "3", "./app"], timeout=60)    # a CompletedProcess with text
        started = nodes.start("node1", [...])                                            # a Popen
        nodes.kill_node("node2")             # every process of the node gets SIGKILL; start_node() boots it again
        nodes.set_link("node3", up=False)    # pulls the network cable
        nodes.shared                         # a directory that all nodes see, gone at the end

mpirun (Open MPI) and mpiexec (MPICH's Hydra) on a node find the others: host lists and agent are set by the environment.

Nothing is left behind, whatever ends the script: it is the first process of a process namespace of its own, so the kernel
ends everything inside with it (SIGKILL to the caller included), and the namespaces and their mounts go with their last process.
"""
import array
import argparse
import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

SKIPPED = 77  # CMake's SKIP_RETURN_CODE
STATE = pathlib.Path("/run/cluster")  # on a tmpfs of ours
SLOTS = 2  # ranks that a node takes

NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None, use_errno=True)


def skip(reason):
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIPPED)


def checked(result, what):
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def unshare(flags):
    checked(libc.unshare(flags), "unshare")


def mount(source, target, kind, flags=0, data=""):
    checked(libc.mount(str(source).encode(), str(target).encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()),
            f"mount {target}")


def ends_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def as_root_of_user_namespace():
    uid, gid = os.getuid(), os.getgid()
    unshare(NEWUSER)
    pathlib.Path("/proc/self/setgroups").write_text("deny")
    pathlib.Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
    pathlib.Path("/proc/self/gid_map").write_text(f"0 {gid} 1")


def end(process):
    with contextlib.suppress(ProcessLookupError):  # it has ended by itself
        os.kill(process, signal.SIGKILL)


def enter():
    """Returns inside the namespaces. Outside, waits for that process, and ends as it does."""
    if not shutil.which("ip"):
        skip("there is no ip command: apt-get install iproute2")
    try:
        if os.getuid() != 0:
            as_root_of_user_namespace()
        unshare(NEWNS | NEWUTS | NEWIPC | NEWNET | NEWPID)
    except OSError as error:
        skip(f"Linux namespaces are not allowed here ({error.strerror}): run this as root, or in a container with CAP_SYS_ADMIN")
    child = os.fork()
    if child != 0:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: end(child))
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 255)
    ends_with_parent()
    try:
        mount("none", "/", "", MS_REC | MS_PRIVATE)
        mount("proc", "/proc", "proc")
        mount("run", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755")
    except OSError as error:
        skip(f"file systems cannot be mounted in a namespace here ({error.strerror})")
    STATE.mkdir()


# ---- what runs as a node's first process: the host's set-up, and a server in place of sshd ----

def ip(*words):
    subprocess.run(["ip", *words], check=True, stdout=subprocess.DEVNULL)


def private_tmp(kept):
    """An empty /tmp; directories in it that have to be seen by all nodes are put back."""
    tmp = pathlib.Path("/tmp")
    inside = sorted({pathlib.Path(path).resolve() for path in kept if tmp in pathlib.Path(path).resolve().parents})
    files = [os.open(path, os.O_PATH) for path in inside]
    mount("tmp", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    for path, file in zip(inside, files):
        path.mkdir(parents=True, exist_ok=True)
        mount(f"/proc/self/fd/{file}", path, "", MS_BIND | MS_REC)
        os.close(file)


def boot(name, address, kept):
    """In a child of the cluster's process. Never returns."""
    ends_with_parent()
    unshare(NEWNS | NEWUTS | NEWIPC | NEWNET | NEWPID)
    init = os.fork()
    if init != 0:  # stays as the node's power supply: its pid is known outside
        ends_with_parent()
        (STATE / f"{name}.pid").write_text(str(init))
        _, status = os.waitpid(init, 0)
        os._exit(0)
    ends_with_parent()
    os.setsid()
    socket.sethostname(name)
    mount("proc", "/proc", "proc")
    private_tmp(kept)
    mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    boot_id = STATE / f"{name}.boot_id"
    boot_id.write_text(f"00000000-0000-4000-8000-{int(name[4:]):012d}\n")
    with contextlib.suppress(OSError):
        mount(boot_id, "/proc/sys/kernel/random/boot_id", "", MS_BIND)
    ip("link", "set", "lo", "up")
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    path = STATE / f"{name}.socket"
    path.unlink(missing_ok=True)
    server.bind(str(path))
    server.listen(64)
    signal.signal(signal.SIGCHLD, reap)
    while True:
        with contextlib.suppress(OSError):
            serve(server.accept()[0])


def reap(*_):
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass


def serve(connection):
    """One command. Its parent, which knows how it ends, is a process of its own."""
    request, files = receive(connection)
    if os.fork() != 0:
        for file in files:
            os.close(file)
        connection.close()
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    command = os.fork()
    if command == 0:
        os.setsid()
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.closerange(3, 256)
        try:
            os.chdir(request["folder"])
        except OSError:
            os.chdir("/")
        try:
            os.execvpe(request["line"][0], request["line"], request["environment"])
        except OSError as error:
            print(f"{request['line'][0]}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(127)
    for file in files:
        os.close(file)
    with contextlib.suppress(OSError):
        connection.sendall(struct.pack("i", command))
    _, status = os.waitpid(command, 0)
    code = os.waitstatus_to_exitcode(status)
    with contextlib.suppress(OSError):
        connection.sendall(struct.pack("i", code if code >= 0 else 128 - code))
    os._exit(0)


def receive(connection):
    data, files = b"", array.array("i")
    message, extra, _, _ = connection.recvmsg(1 << 16, socket.CMSG_SPACE(3 * 4))
    for _, kind, contents in extra:
        if kind == socket.SCM_RIGHTS:
            files.frombytes(contents)
    data += message
    (size,) = struct.unpack("I", data[:4])
    while len(data) < 4 + size:
        data += connection.recv(1 << 16)
    return json.loads(data[4:]), list(files)


# ---- the agent: what a launcher has in place of ssh ----

def agent(arguments):
    """agent [OPTIONS] NODE COMMAND…: the words of the command are joined and given to a shell, as ssh does."""
    while arguments and arguments[0].startswith("-"):
        arguments = arguments[1:]
    if len(arguments) < 2:
        sys.exit("usage: on-node NODE COMMAND…")
    # As with ssh, the environment stays behind: what a launcher needs elsewhere it has to say.
    environment = json.loads((STATE / "environment.json").read_text())
    sys.exit(on_node(arguments[0], ["/bin/sh", "-c", " ".join(arguments[1:])], environment, "/"))


def on_node(node, line, environment, folder):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(STATE / f"{node}.socket"))
    except OSError as error:
        print(f"on-node: {node} cannot be reached: {error.strerror}", file=sys.stderr)
        return 255
    text = json.dumps({"line": line, "environment": environment, "folder": folder}).encode()
    socket.send_fds(connection, [struct.pack("I", len(text))], [0, 1, 2])
    connection.sendall(text)
    said = b""
    while len(said) < 8:
        part = connection.recv(8 - len(said))
        if not part:
            return 255  # the node is gone
        said += part
    return struct.unpack("ii", said)[1]


# ---- the cluster ----

class Cluster:
    def __init__(self, nodes=3, slurm=False, kept=()):
        self.names = [f"node{i + 1}" for i in range(nodes)]
        here = pathlib.Path(__file__).resolve().parent
        self.kept = [str(here.parent.parent), *map(str, kept)]
        self.shared = STATE / "shared"
        self.shared.mkdir()
        self.slurm = slurm
        self.suppliers = {}  # a process of each node's, whose end is the node's
        self.daemons = []
        self.bin = STATE / "bin"
        self.bin.mkdir()
        for name, argument in (("on-node", "--agent"), ("agent", "--agent")):
            script = self.bin / name
            script.write_text(f'#!/bin/sh\nexec {sys.executable} {here}/cluster.py {argument} "$@"\n')
            script.chmod(0o755)
        self.environment = self.make_environment()
        (STATE / "environment.json").write_text(json.dumps(self.environment))

    def make_environment(self):
        hosts = STATE / "hosts"
        hosts.write_text("".join(f"{name} slots={SLOTS}\n" for name in self.names))
        (STATE / "machines").write_text("".join(f"{name}:{SLOTS}\n" for name in self.names))
        kept = {name: os.environ[name] for name in ("LANG", "HOME", "CCACHE_DIR") if name in os.environ}
        return kept | {
            "PATH": f"{self.bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "TERM": "dumb",
            "USER": "root",
            "OMPI_MCA_plm_rsh_agent": str(self.bin / "agent"),
            "OMPI_MCA_orte_default_hostfile": str(hosts),
            "OMPI_MCA_rmaps_base_mapping_policy": "node",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_btl": "tcp,vader,self",
            "OMPI_MCA_btl_tcp_if_include": "eth0",
            "OMPI_MCA_oob_tcp_if_include": "eth0",
            "OMPI_MCA_pml": "ob1",
            "OMPI_MCA_osc": "pt2pt",
            "OMPI_MCA_hwloc_base_binding_policy": "none",
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "HYDRA_LAUNCHER": "ssh",
            "HYDRA_LAUNCHER_EXEC": str(self.bin / "agent"),
            "HYDRA_HOST_FILE": str(STATE / "machines"),
            "HYDRA_IFACE": "eth0",
            "UCX_TLS": "tcp,self",
            "UCX_NET_DEVICES": "eth0",
            "UCX_WARN_UNUSED_ENV_VARS": "n",
        } | ({"SLURM_CONF": str(STATE / "slurm.conf")} if self.slurm else {})

    def __enter__(self):
        socket.sethostname("switch")
        (STATE / "etc_hosts").write_text("127.0.0.1 localhost\n10.9.0.254 switch\n" + "".join(
            f"10.9.0.{i + 1} {name}\n" for i, name in enumerate(self.names)))
        mount(STATE / "etc_hosts", "/etc/hosts", "", MS_BIND)
        ip("link", "set", "lo", "up")
        ip("link", "add", "bridge0", "type", "bridge", "forward_delay", "0")
        ip("address", "add", "10.9.0.254/24", "dev", "bridge0")
        ip("link", "set", "bridge0", "up")
        for name in self.names:
            self.start_node(name)
        if self.slurm:
            self.start_slurm()
        return self

    def __exit__(self, *_):
        """The kernel would do as much when the script ends."""
        for daemon in self.daemons:
            daemon.kill()
        for name in list(self.suppliers):
            self.kill_node(name)

    def start_node(self, name):
        number = self.names.index(name) + 1
        pid_file = STATE / f"{name}.pid"
        for path in (pid_file, STATE / f"{name}.socket"):
            path.unlink(missing_ok=True)
        supplier = os.fork()
        if supplier == 0:
            try:
                boot(name, f"10.9.0.{number}/24", self.kept)
            except BaseException as error:
                print(f"{name} does not start: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        self.suppliers[name] = supplier
        self.wait_for(lambda: (STATE / f"{name}.socket").exists() and pid_file.exists() and pid_file.read_text(),
                      f"{name} did not start", lambda: os.waitpid(supplier, os.WNOHANG)[0] == 0)
        outer = f"to-{name}"
        ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", pid_file.read_text())
        ip("link", "set", outer, "master", "bridge0", "up")
        self.run(name, ["ip", "address", "add", f"10.9.0.{number}/24", "dev", "eth0"], check=True)
        self.run(name, ["ip", "link", "set", "eth0", "up"], check=True)

    def kill_node(self, name):
        """As if its power was cut: all its processes get SIGKILL, with its network they are gone."""
        os.kill(int((STATE / f"{name}.pid").read_text()), signal.SIGKILL)
        os.waitpid(self.suppliers.pop(name), 0)
        # The kernel takes the cable away some time after the node's last process.
        subprocess.run(["ip", "link", "delete", f"to-{name}"], stderr=subprocess.DEVNULL)

    def set_link(self, name, up):
        ip("link", "set", f"to-{name}", "up" if up else "down")

    def start(self, node, line, folder=None, environment=None, **keywords):
        """Starts a command on a node; a Popen. Ending that ends the command only if it reads its standard input."""
        folder = str(folder or self.shared)
        request = json.dumps([node, [str(word) for word in line], self.environment | (environment or {}), folder])
        return subprocess.Popen([sys.executable, __file__, "--start", request], text=True, **keywords)

    def run(self, node, line, timeout=60, check=False, folder=None, environment=None):
        """Runs a command on a node; stdout and stderr are texts. Past its time it is ended with all its descendants."""
        started = self.start(node, ["timeout", "-k", "2", str(timeout), *line], folder, environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = started.communicate()
        done = subprocess.CompletedProcess(line, started.returncode, out, err)
        if check and done.returncode != 0:
            raise RuntimeError(f"{node}: {line} ended with {done.returncode}\n{out}{err}")
        return done

    @staticmethod
    def wait_for(condition, otherwise, alive=lambda: True, seconds=30):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until or not alive():
                raise RuntimeError(otherwise)
            time.sleep(0.01)

    # Slurm: munged and slurmctld beside the switch, a slurmd on each node.
    def start_slurm(self):
        for directory in ("munge", "slurm", *(f"spool-{name}" for name in self.names)):
            (STATE / directory).mkdir()
            (STATE / directory).chmod(0o755)
        key = STATE / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        (STATE / "slurm.conf").write_text(f"""ClusterName=photofinish
SlurmctldHost=switch(10.9.0.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={STATE}/munge/socket
CredType=cred/munge
StateSaveLocation={STATE}/slurm
SlurmdSpoolDir={STATE}/spool-%n
SlurmctldPidFile={STATE}/slurmctld.pid
SlurmdPidFile={STATE}/slurmd-%n.pid
SlurmdLogFile={STATE}/slurmd-%n.log
SlurmctldLogFile={STATE}/slurmctld.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
SlurmdTimeout=30
""" + "".join(f"NodeName={name} NodeAddr=10.9.0.{i + 1} CPUs={SLOTS} State=UNKNOWN\n" for i, name in enumerate(self.names))
            + f"PartitionName=all Nodes={','.join(self.names)} Default=YES MaxTime=INFINITE State=UP\n")
        with open(STATE / "munged.log", "w") as log:
            self.daemons.append(subprocess.Popen(
                ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={STATE}/munge/socket",
                 f"--pid-file={STATE}/munge/pid", f"--log-file={STATE}/munge/log", f"--seed-file={STATE}/munge/seed"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log))
            self.wait_for((STATE / "munge/socket").exists, "munged did not start", lambda: self.daemons[-1].poll() is None)
            self.daemons.append(subprocess.Popen(["slurmctld", "-D", "-c", "-f", str(STATE / "slurm.conf")],
                                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        for name in self.names:
            self.start_slurmd(name)
        self.wait_for(lambda: self.run("node1", ["sinfo", "-h", "-N", "-o", "%T"]).stdout.split() == ["idle"] * len(self.names),
                      "Slurm's nodes did not become idle", lambda: self.daemons[-1].poll() is None)

    def start_slurmd(self, name):
        self.run(name, ["slurmd", "-N", name, "-f", STATE / "slurm.conf"], check=True)

    def logs(self):
        """What the daemons wrote, for a test that failed."""
        return "".join(f"--- {path.name}\n{path.read_text()}" for path in sorted(STATE.glob("*.log")))


def slurm_is_missing():
    """Why there can be no Slurm here; empty if there can."""
    if os.getuid() != 0:
        return "slurmd needs root"
    missing = [name for name in ("munged", "slurmctld", "slurmd", "srun", "sbatch") if not shutil.which(name, path="/usr/sbin:/usr/bin")]
    return f"{', '.join(missing)} not installed: apt-get install slurm-wlm munge" if missing else ""


def main():
    if sys.argv[1:2] == ["--agent"]:
        agent(sys.argv[2:])
    if sys.argv[1:2] == ["--start"]:
        sys.exit(on_node(*json.loads(sys.argv[2])))
    parser = argparse.ArgumentParser(description="Runs a command on a cluster made of Linux namespaces.")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--slurm", action="store_true")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    if arguments.slurm and slurm_is_missing():
        skip(slurm_is_missing())
    folder = os.getcwd()
    enter()
    with Cluster(arguments.nodes, arguments.slurm, kept=[folder]) as nodes:
        code = nodes.start("node1", arguments.command, folder=folder).wait()
        if code != 0 and arguments.slurm:
            print(nodes.logs(), file=sys.stderr)
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
