"""Drives the server of $KUBECONFIG with the Python client: main.py SAMPLES. Exits with 1 and says why if something is not as it should be."""

import glob
import sys
import time

import yaml
from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError

NAMESPACE = "clients-python"


def samples(directory):
    """Every sample object, filled in."""
    for path in sorted(glob.glob(directory + "/*.yaml")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        filled = {"NAMESPACE": NAMESPACE, "NAME": "python-0", "KIND": "Python0", "RUN": "python"}
        for word, value in filled.items():
            text = text.replace(word, value)
        yield from yaml.safe_load_all(text)


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def fails(status, act):
    try:
        act()
    except ApiException as error:
        expect(error.status == status, f"status {error.status}, not {status}: {error.body}")
        return
    raise AssertionError(f"no error {status}")


def every_kind(api, directory):
    """The dynamic client takes a sample of every kind through its life."""
    kinds = dynamic.DynamicClient(api)
    for body in samples(directory):
        kind = f"{body['apiVersion']} {body['kind']}"
        name = body["metadata"]["name"]
        resource = kinds.resources.get(api_version=body["apiVersion"], kind=body["kind"])
        where = {"namespace": NAMESPACE} if resource.namespaced else {}
        made = resource.create(body=body, **where)
        expect(made.metadata.uid, f"{kind}: no uid")
        try:
            resource.create(body=body, **where)
            raise AssertionError(f"{kind}: created twice")
        except ConflictError:
            pass
        expect(resource.get(name=name, **where).metadata.uid == made.metadata.uid, f"{kind}: another object")
        listed = resource.get(label_selector="sample=python", **where)
        expect(len(listed.items) == 1, f"{kind}: listed {len(listed.items)}")
        patch = {"metadata": {"labels": {"patched": "yes"}}}
        patched = resource.patch(name=name, body=patch, content_type="application/merge-patch+json", **where)
        expect(patched.metadata.labels.patched == "yes", f"{kind}: not patched")
        applied = {"apiVersion": body["apiVersion"], "kind": body["kind"], "metadata": {"name": name, "annotations": {"applied": "yes"}}}
        got = resource.server_side_apply(body=applied, name=name, field_manager="python", **where)
        expect(got.metadata.annotations.applied == "yes", f"{kind}: not applied")
        events = resource.watch(label_selector="sample=python", timeout=1, resource_version=listed.metadata.resourceVersion, **where)
        expect(next(events)["type"] == "MODIFIED", f"{kind}: no event")
        resource.delete(name=name, body={"propagationPolicy": "Background"}, **where)
        expect(is_gone(resource, name, where), f"{kind}: still there")


def is_gone(resource, name, where):
    """What has a finalizer, as definitions of resources have, stays until that is taken off."""
    for _ in range(100):
        try:
            if not resource.get(name=name, **where).metadata.deletionTimestamp:
                return False
        except NotFoundError:
            return True
        time.sleep(0.1)
    return False


def chunked(core):
    """Lists in chunks of two."""
    names, token = [], None
    while token != "":
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="of=m", limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue or ""
    expect(names == ["m0", "m1", "m2", "m3", "m4"], f"listed {names}")


def watching(core):
    """Reads, replaces, patches and deletes, and sees it all in a watch."""
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    one = core.read_namespaced_config_map("m0", NAMESPACE)
    expect(one.data == {"a": "ü"} and one.binary_data == {"b": "AAEC"}, f"read {one}")
    one.data["a"] = "2"
    replaced = core.replace_namespaced_config_map("m0", NAMESPACE, one)
    expect(replaced.data["a"] == "2", "not replaced")
    fails(409, lambda: core.replace_namespaced_config_map("m0", NAMESPACE, one))
    core.patch_namespaced_config_map("m0", NAMESPACE, {"data": {"c": "3"}})
    core.delete_namespaced_config_map("m0", NAMESPACE)
    fails(404, lambda: core.read_namespaced_config_map("m0", NAMESPACE))
    stream = watch.Watch()
    seen = []
    for event in stream.stream(core.list_namespaced_config_map, NAMESPACE, resource_version=start, timeout_seconds=10):
        seen.append((event["type"], event["object"].metadata.name))
        if event["type"] == "DELETED":
            stream.stop()
    expect(seen == [("MODIFIED", "m0"), ("MODIFIED", "m0"), ("DELETED", "m0")], f"watched {seen}")
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="of=m")
    expect(core.list_namespaced_config_map(NAMESPACE, label_selector="of=m").items == [], "some are left")


def subresources(api):
    apps, core = client.AppsV1Api(api), client.CoreV1Api(api)
    labels = {"app": "web"}
    template = client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[client.V1Container(name="main", image="registry.example/app:v1")]))
    spec = client.V1DeploymentSpec(replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=template)
    apps.create_namespaced_deployment(NAMESPACE, client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec))
    expect(apps.read_namespaced_deployment_scale("web", NAMESPACE).spec.replicas == 2, "scale")
    expect(apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 4}}).spec.replicas == 4, "not scaled")
    status = apps.patch_namespaced_deployment_status("web", NAMESPACE, {"status": {"readyReplicas": 1, "replicas": 2}})
    expect(status.status.ready_replicas == 1 and status.spec.replicas == 4, f"status {status.status}")
    core.create_namespaced_service_account(NAMESPACE, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="robot")))
    token = core.create_namespaced_service_account_token("robot", NAMESPACE, client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=600)))
    review = client.AuthenticationV1Api(api).create_token_review(client.V1TokenReview(spec=client.V1TokenReviewSpec(token=token.status.token)))
    expect(review.status.user.username == f"system:serviceaccount:{NAMESPACE}:robot", f"review {review.status}")
    core.create_namespaced_pod(NAMESPACE, client.V1Pod(metadata=client.V1ObjectMeta(name="web", labels=labels), spec=template.spec))
    core.create_namespaced_pod_eviction("web", NAMESPACE, client.V1Eviction(metadata=client.V1ObjectMeta(name="web")))
    fails(404, lambda: core.read_namespaced_pod("web", NAMESPACE))
    fails(422, lambda: core.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="Bad Name"))))


def main():
    api = config.new_client_from_config()
    core = client.CoreV1Api(api)
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    expect(client.VersionApi(api).get_code().minor == "33", "version")
    expect(len(client.ApisApi(api).get_api_versions().groups) >= 19, "groups")
    every_kind(api, sys.argv[1])
    for i in range(5):
        body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name=f"m{i}", labels={"of": "m"}), data={"a": "ü"}, binary_data={"b": "AAEC"})
        core.create_namespaced_config_map(NAMESPACE, body)
    chunked(core)
    watching(core)
    subresources(api)
    core.delete_namespace(NAMESPACE)
    print("all well")


main()
