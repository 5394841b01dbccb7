"""Keeps the ConfigMaps of a namespace in memory by lists and watches of the Python client, through whatever breaks: follow.py NAMESPACE SELECTOR.

Reads a word a line from standard input ("state", "end") and answers each with a line of JSON, as the Go program does (../go/following.go)."""

import json
import sys
import threading
import time

import urllib3
from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

PAUSE_SECONDS = 0.2
# For a connection, and for the next byte of an answer: a connection that is dead is noticed so.
TIMEOUTS = (2, 4)
BROKEN = (urllib3.exceptions.HTTPError, OSError)


class Follower(threading.Thread):
    """Lists once, then watches, and goes on from the last version that it was given; lists again only where that is gone."""

    def __init__(self, name, listing, watching):
        super().__init__(daemon=True)
        self.name, self.listing, self.watching = name, listing, watching
        self.lock = threading.Lock()
        self.objects, self.last, self.faults, self.refused = {}, {}, [], {}
        self.lists = self.watches = 0
        self.version, self.stopped = None, False

    def run(self):
        while not self.stopped:
            try:
                if self.version is None:
                    self.relist()
                self.watches += 1
                for kind, metadata in self.watching(self.version):
                    if self.stopped:
                        return
                    self.take(kind, metadata)
            except ApiException as error:
                self.refused[str(error.status)] = self.refused.get(str(error.status), 0) + 1
                if error.status == 410:
                    self.version = None
                else:
                    time.sleep(PAUSE_SECONDS)
            except BROKEN as error:
                self.refused["no answer"] = self.refused.get("no answer", 0) + 1
                time.sleep(PAUSE_SECONDS)

    def relist(self):
        version, listed = self.listing()
        with self.lock:
            for name, at in listed.items():
                if int(at) < self.last.get(name, 0):
                    self.faults.append(f"listed {name} at {at} after {self.last[name]}")
                self.last[name] = int(at)
            self.objects, self.version = listed, version
            self.lists += 1

    def take(self, kind, metadata):
        name, at = metadata.get("name"), metadata["resourceVersion"]
        with self.lock:
            self.version = at
            if kind == "BOOKMARK":
                return
            if int(at) <= self.last.get(name, 0) or (kind == "ADDED") == (name in self.objects):
                self.faults.append(f"{kind} {name} at {at} after {self.last.get(name)}, present: {name in self.objects}")
            self.last[name] = int(at)
            if kind == "DELETED":
                self.objects.pop(name, None)
            else:
                self.objects[name] = at

    def state(self):
        with self.lock:
            return {"objects": dict(self.objects), "lists": self.lists, "watches": self.watches, "refused": self.refused, "faults": self.faults}


def typed(name, core, namespace, **selected):
    def listing():
        found = core.list_namespaced_config_map(namespace, _request_timeout=TIMEOUTS, **selected)
        return found.metadata.resource_version, {item.metadata.name: item.metadata.resource_version for item in found.items}

    def watching(version):
        stream = watch.Watch().stream(core.list_namespaced_config_map, namespace, resource_version=version, allow_watch_bookmarks=True, _request_timeout=TIMEOUTS, **selected)
        return ((event["type"], event["raw_object"]["metadata"]) for event in stream)

    return Follower(name, listing, watching)


def untyped(name, api, namespace):
    resource = dynamic.DynamicClient(api).resources.get(api_version="v1", kind="ConfigMap")

    def listing():
        found = resource.get(namespace=namespace, _request_timeout=TIMEOUTS)
        return found.metadata.resourceVersion, {item.metadata.name: item.metadata.resourceVersion for item in found.items}

    def watching(version):
        stream = resource.watch(namespace=namespace, resource_version=version, timeout=2)
        return ((event["type"], event["raw_object"]["metadata"]) for event in stream)

    return Follower(name, listing, watching)


def main(namespace, selector):
    before = threading.active_count()
    api = config.new_client_from_config()
    core = client.CoreV1Api(api)
    followers = [typed("typed", core, namespace), typed("selected", core, namespace, label_selector=selector), untyped("dynamic", api, namespace)]
    for follower in followers:
        follower.start()
    while any(follower.lists == 0 for follower in followers):
        time.sleep(0.02)
    print(json.dumps({"ready": len(followers)}), flush=True)
    for line in sys.stdin:
        if line.strip() == "end":
            break
        print(json.dumps({follower.name: follower.state() for follower in followers}), flush=True)
    for follower in followers:
        follower.stopped = True
    for follower in followers:
        follower.join(TIMEOUTS[1] + 1)
    api.close()
    print(json.dumps({"left": threading.active_count() - before}), flush=True)


# What breaks a connection is no news here.
urllib3.disable_warnings()
main(sys.argv[1], sys.argv[2])
