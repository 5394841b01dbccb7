// Drives the server of $KUBECONFIG with @kubernetes/client-node: main.mjs SAMPLES. Rejects, and so exits with 1, if something is not as it should be.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as k8s from '@kubernetes/client-node'

const NAMESPACE = 'clients-javascript'
const config = new k8s.KubeConfig()
config.loadFromDefault()
const core = config.makeApiClient(k8s.CoreV1Api)
const apps = config.makeApiClient(k8s.AppsV1Api)
const objects = k8s.KubernetesObjectApi.makeApiClient(config)

/** Every sample object, filled in. */
function samples(directory) {
  const filled = { NAMESPACE, NAME: 'javascript-0', KIND: 'Javascript0', RUN: 'javascript' }
  const text = readdirSync(directory)
    .filter(file => file.endsWith('.yaml'))
    .map(file => readFileSync(join(directory, file), 'utf8'))
    .join('\n---\n')
  return k8s.loadAllYaml(Object.entries(filled).reduce((all, [word, value]) => all.replaceAll(word, value), text))
}

const fails = (code, act) =>
  assert.rejects(act, error => error.code === code || assert.fail(`status ${error.code}, not ${code}: ${error.message}`))

/** A sample of every kind, created, read, listed, patched and deleted. */
async function everyKind(directory) {
  for (const body of samples(directory)) {
    const kind = `${body.apiVersion} ${body.kind}`
    const { namespaced } = await objects.resource(body.apiVersion, body.kind)
    if (namespaced) body.metadata.namespace = NAMESPACE
    const made = await objects.create(body)
    assert.ok(made.metadata.uid, kind)
    await fails(409, () => objects.create(body))
    const read = await objects.read(body)
    assert.equal(read.metadata.uid, made.metadata.uid, kind)
    const { items } = await objects.list(
      body.apiVersion,
      body.kind,
      namespaced ? NAMESPACE : undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      'sample=javascript',
    )
    assert.deepEqual(
      items.map(item => item.metadata.uid),
      [made.metadata.uid],
      kind,
    )
    const { apiVersion, kind: ofKind } = body
    const { name, namespace } = body.metadata
    const patch = { apiVersion, kind: ofKind, metadata: { name, namespace, labels: { patched: 'yes' } } }
    const patched = await objects.patch(patch, undefined, undefined, undefined, undefined, k8s.PatchStrategy.MergePatch)
    assert.equal(patched.metadata.labels.patched, 'yes', kind)
    const applied = await objects.patch(patch, undefined, undefined, 'javascript', true, k8s.PatchStrategy.ServerSideApply)
    assert.ok(
      applied.metadata.managedFields.some(entry => entry.manager === 'javascript' && entry.operation === 'Apply'),
      kind,
    )
    await objects.delete(body, undefined, undefined, undefined, undefined, 'Background')
    await untilGone(() => objects.read(body))
    await fails(404, () => objects.read(body))
  }
}

/** Waits until an object is gone. One with finalizers, such as a custom resource definition, stays until they are removed. */
async function untilGone(read) {
  for (let i = 0; i < 100; i++) {
    const there = await read().catch(() => undefined)
    if (!there?.metadata.deletionTimestamp) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

async function watching() {
  const { metadata } = await core.listNamespacedConfigMap({ namespace: NAMESPACE })
  const seen = []
  let done
  const ended = new Promise(resolve => {
    done = resolve
  })
  const watch = new k8s.Watch(config)
  const controller = await watch.watch(
    `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    { resourceVersion: metadata.resourceVersion },
    (type, object) => {
      seen.push(`${type} ${object.metadata.name} ${object.data?.a}`)
      if (type === 'DELETED') done()
    },
    done,
  )
  const made = await core.createNamespacedConfigMap({
    namespace: NAMESPACE,
    body: { metadata: { name: 'one' }, data: { a: 'ü' }, binaryData: { b: 'AAEC' } },
  })
  await core.replaceNamespacedConfigMap({ name: 'one', namespace: NAMESPACE, body: { ...made, data: { a: '2' } } })
  await fails(409, () => core.replaceNamespacedConfigMap({ name: 'one', namespace: NAMESPACE, body: { ...made, data: { a: '3' } } }))
  await core.deleteNamespacedConfigMap({ name: 'one', namespace: NAMESPACE })
  await ended
  controller.abort()
  assert.deepEqual(seen, ['ADDED one ü', 'MODIFIED one 2', 'DELETED one 2'])
}

async function informing() {
  const list = () => core.listNamespacedSecret({ namespace: NAMESPACE })
  const informer = k8s.makeInformer(config, `/api/v1/namespaces/${NAMESPACE}/secrets`, list)
  const added = new Promise(resolve => informer.on('add', resolve))
  const deleted = new Promise(resolve => informer.on('delete', resolve))
  await informer.start()
  await core.createNamespacedSecret({ namespace: NAMESPACE, body: { metadata: { name: 'some' }, stringData: { a: 'b' } } })
  assert.equal((await added).data.a, 'Yg==')
  await core.deleteNamespacedSecret({ name: 'some', namespace: NAMESPACE })
  assert.equal((await deleted).metadata.name, 'some')
  await informer.stop()
}

async function chunks() {
  for (let i = 0; i < 5; i++)
    await core.createNamespacedConfigMap({ namespace: NAMESPACE, body: { metadata: { name: `m${i}`, labels: { of: 'm' } } } })
  const names = []
  let token
  do {
    const page = await core.listNamespacedConfigMap({ namespace: NAMESPACE, labelSelector: 'of=m', limit: 2, _continue: token })
    names.push(...page.items.map(item => item.metadata.name))
    token = page.metadata._continue
  } while (token)
  assert.deepEqual(names, ['m0', 'm1', 'm2', 'm3', 'm4'])
}

async function subresources() {
  const at = { name: 'web', namespace: NAMESPACE }
  const labels = { app: 'web' }
  const spec = { containers: [{ name: 'main', image: 'registry.example/app:v1' }] }
  await apps.createNamespacedDeployment({
    namespace: NAMESPACE,
    body: { metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } } },
  })
  const scale = await apps.readNamespacedDeploymentScale(at)
  assert.equal(scale.spec.replicas, 2)
  const scaled = await apps.replaceNamespacedDeploymentScale({ ...at, body: { ...scale, spec: { replicas: 4 } } })
  assert.equal(scaled.spec.replicas, 4)
  const deployment = await apps.readNamespacedDeployment(at)
  const status = await apps.replaceNamespacedDeploymentStatus({ ...at, body: { ...deployment, status: { replicas: 2, readyReplicas: 1 } } })
  assert.equal(status.status.readyReplicas, 1)
  await core.createNamespacedPod({ namespace: NAMESPACE, body: { metadata: { name: 'web', labels }, spec } })
  await core.createNamespacedPodEviction({ ...at, body: { metadata: { name: 'web' } } })
  await fails(404, () => core.readNamespacedPod(at))
  await fails(422, () => core.createNamespacedConfigMap({ namespace: NAMESPACE, body: { metadata: { name: 'Bad Name' } } }))
}

await core.createNamespace({ body: { metadata: { name: NAMESPACE } } })
await everyKind(process.argv[2])
await watching()
await informing()
await chunks()
await subresources()
await core.deleteNamespace({ name: NAMESPACE })
console.log('all well')
process.exit(0)
