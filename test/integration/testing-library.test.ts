import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ClientResponse, ControlPlane, ControlPlaneOptions, Manifest } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string, value = 'v'): Manifest => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } })

const WIDGETS = `
apiVersion: example.dev/v1
kind: Widget
metadata: {name: first}
spec: {size: 3}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.dev}
spec:
  group: example.dev
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}
`

describe('control planes for tests', () => {
  const planes: ControlPlane[] = []

  const start = async (options: ControlPlaneOptions = {}): Promise<ControlPlane> => {
    const plane = await startControlPlane(options)
    planes.push(plane)
    return plane
  }
  const fork = async (of: ControlPlane): Promise<ControlPlane> => {
    const plane = await of.fork()
    planes.push(plane)
    return plane
  }
  const body = async (answer: Promise<ClientResponse>): Promise<AnyObject> => (await answer).body as AnyObject
  const names = async (plane: ControlPlane, path = CONFIG_MAPS): Promise<string[]> =>
    (await body(plane.request('GET', path))).items
      .map((item: AnyObject) => item.metadata.name)
      .filter((name: string) => name !== 'kube-root-ca.crt')

  afterEach(() => Promise.all(planes.splice(0).map(plane => plane.stop())))

  it('are isolated from one another', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => start()))
    await Promise.all(all.map((plane, i) => plane.apply(configMap(`of-${i}`))))
    expect(await Promise.all(all.map(plane => names(plane)))).to.deep.equal(all.map((_, i) => [`of-${i}`]))
    expect(new Set(all.map(({ url }) => url))).to.have.property('size', 5)
  })

  it('apply integers beyond 2^53 as they are written', async () => {
    const plane = await start()
    await plane.apply(`apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {terminationGracePeriodSeconds: 9007199254740993, containers: [{name: a, image: b}]}
`)
    const { body: text } = await plane.request('GET', '/api/v1/namespaces/default/pods/a', { headers: { accept: 'application/yaml' } })
    expect(text).to.include('terminationGracePeriodSeconds: 9007199254740993\n')
  })

  it('start with the given release, gates and flags', async () => {
    const plane = await start({
      release: '1.35',
      gates: { MutatingAdmissionPolicy: true },
      flags: { 'runtime-config': 'admissionregistration.k8s.io/v1beta1=true' },
    })
    expect(plane.version).to.match(/^v1\.35\./)
    expect((await plane.request('GET', '/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies')).status).to.equal(200)
    const refused = await startControlPlane({ flags: { 'data-dir': '/tmp/x' } }).catch((error: Error) => error.message)
    expect(refused).to.equal('--data-dir: a control plane for tests keeps everything in memory')
    expect(await startControlPlane({ gates: { NoSuchGate: true } }).catch((error: Error) => error.message)).to.include('NoSuchGate')
  })

  it('apply manifests at the start: definitions first, from texts, objects, files and directories', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifests-'))
    writeFileSync(join(folder, 'a.yaml'), JSON.stringify(configMap('from-a-file')))
    try {
      const plane = await start({ manifests: [WIDGETS, configMap('an-object'), pathToFileURL(folder)] })
      expect(await names(plane, '/apis/example.dev/v1/namespaces/default/widgets')).to.deep.equal(['first'])
      expect(await names(plane)).to.deep.equal(['an-object', 'from-a-file'])
      expect(plane.requests).to.have.length(2)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('name an object that is rejected', async () => {
    const refused = (manifest: Manifest | string): Promise<unknown> =>
      startControlPlane({ manifests: [manifest] }).catch((error: Error) => error.message)
    expect(await refused({ ...configMap('Upper') })).to.match(
      /^v1, ConfigMap Upper: ConfigMap "Upper" is invalid: metadata\.name: Invalid value: "Upper"/,
    )
    expect(await refused({ apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'x' } })).to.equal(
      'v1, Nothing x: the server serves no such kind',
    )
    expect(await refused('a: [')).to.match(/^manifest:1: /)
  })

  it('fork: a copy has a history and changes of its own', async () => {
    const plane = await start({ manifests: [WIDGETS] })
    await plane.apply(configMap('both'))
    await plane.settled()
    const before = plane.snapshot().revision
    const copy = await fork(plane)
    await copy.settled()
    // Nothing is made anew at its start: APIServices of custom kinds stay, too.
    expect(copy.snapshot().revision).to.equal(before)
    expect(await body(copy.request('GET', `${CONFIG_MAPS}/both`))).to.deep.equal(await body(plane.request('GET', `${CONFIG_MAPS}/both`)))
    await Promise.all([copy.apply(configMap('of-the-copy')), plane.apply(configMap('of-the-first', 'x'), configMap('of-the-first', 'y'))])
    await copy.request('DELETE', `${CONFIG_MAPS}/both`)
    expect(await names(copy)).to.deep.equal(['of-the-copy'])
    expect(await names(plane)).to.deep.equal(['both', 'of-the-first'])
    // Earlier revisions are still available.
    expect(await names(copy, `${CONFIG_MAPS}?resourceVersion=${before}&resourceVersionMatch=Exact`)).to.deep.equal(['both'])
    expect(await names(copy, '/apis/example.dev/v1/namespaces/default/widgets')).to.deep.equal(['first'])
  })

  it('fork: equals a full copy, byte for byte, with the same history', async () => {
    const plane = await start({ manifests: [WIDGETS] })
    const since = plane.snapshot().revision
    for (let i = 0; i < 30; i++) await plane.apply(configMap(`c${i % 7}`, `${i}`))
    await plane.request('DELETE', `${CONFIG_MAPS}/c3`)
    await plane.settled()
    const copy = await fork(plane)
    // Of one whose server is not there yet there are tables alone, which are read anew.
    const full = await fork(copy)
    const planes = [plane, copy, full]
    const alike = async (path: string): Promise<unknown> => {
      const [told, ...others] = await Promise.all(planes.map(async one => JSON.stringify(await body(one.request('GET', path)))))
      for (const other of others) expect(other, path).to.equal(told)
      return told
    }
    await Promise.all(planes.map(one => one.settled()))
    const groups = (await body(plane.request('GET', '/apis'))).groups.map(
      ({ preferredVersion }: AnyObject) => `/apis/${preferredVersion.groupVersion}`,
    )
    for (const root of ['/api/v1', ...groups]) {
      const { resources } = await body(plane.request('GET', root))
      for (const { name, verbs } of resources as AnyObject[])
        if (verbs.includes('list') && name !== 'componentstatuses')
          for (const query of ['', '?resourceVersion=0', `?resourceVersion=${since}&resourceVersionMatch=Exact`])
            await alike(`${root}/${name}${query}`)
    }
    expect(await alike(`/api/v1/configmaps?watch=1&timeoutSeconds=1&resourceVersion=${since}`)).to.include('DELETED')
    await alike(`${CONFIG_MAPS}/c1`)
  })

  it('fork: resolves before its server is ready, and requests to it wait', async () => {
    const plane = await start({ manifests: [configMap('there')] })
    const copies = await Promise.all([fork(plane), fork(plane)])
    const jane = await copies[1]!.user('jane', ['system:masters'])
    expect(await names(copies[0]!)).to.deep.equal(['there'])
    expect((await jane.request('GET', `${CONFIG_MAPS}/there`)).status).to.equal(200)
    // Ended before it is there.
    const third = await plane.fork()
    await Promise.all([third.stop(), third.stop()])
    expect(await third.request('GET', CONFIG_MAPS).catch(() => 'refused')).to.equal('refused')
  })

  it('fork: accepts a token of the original', async () => {
    const plane = await start()
    await plane.until(async () => (await plane.request('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200)
    const { status } = await body(plane.request('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { body: {} }))
    const copy = await fork(plane)
    const review = { spec: { token: status.token } }
    const seen = await body(copy.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: review }))
    expect(seen.status.user?.username).to.equal('system:serviceaccount:default:default')
  })

  it('restore a snapshot: watches receive the changes, and resource versions increase', async () => {
    const plane = await start({ manifests: [configMap('changed'), configMap('deleted'), configMap('same')] })
    await plane.settled()
    const { resourceVersion } = (await body(plane.request('GET', `${CONFIG_MAPS}/same`))).metadata
    const kept = plane.snapshot()
    await plane.apply(configMap('changed', 'w'), configMap('new'))
    await plane.request('DELETE', `${CONFIG_MAPS}/deleted`)
    const after = plane.snapshot().revision
    await plane.restore(kept)
    expect(await names(plane)).to.deep.equal(['changed', 'deleted', 'same'])
    expect((await body(plane.request('GET', `${CONFIG_MAPS}/changed`))).data).to.deep.equal({ value: 'v' })
    expect((await body(plane.request('GET', `${CONFIG_MAPS}/same`))).metadata.resourceVersion).to.equal(resourceVersion)
    const watched = await plane.request('GET', `${CONFIG_MAPS}?watch=1&resourceVersion=${after}&timeoutSeconds=1`)
    const told = `${watched.body}`
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(told.map(({ type, object }) => `${type} ${object.metadata.name}`)).to.have.members([
      'MODIFIED changed',
      'ADDED deleted',
      'DELETED new',
    ])
    expect(Math.min(...told.map(({ object }) => Number(object.metadata.resourceVersion)))).to.be.greaterThan(after)
  })

  it('reset to the state after the start', async () => {
    const plane = await start({ manifests: [WIDGETS] })
    await plane.apply(configMap('x'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.7' },
    })
    await plane.request('DELETE', '/apis/example.dev/v1/namespaces/default/widgets/first')
    await plane.reset()
    expect(plane.requests).to.have.length(0)
    expect(await names(plane)).to.deep.equal([])
    expect(await names(plane, '/apis/example.dev/v1/namespaces/default/widgets')).to.deep.equal(['first'])
    // The address is free again.
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 't' },
      spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.7' },
    })
  })

  it('grant users the rights of bindings', async () => {
    const plane = await start({ recordedLevel: 'Request' })
    const jane = await plane.user('jane', ['developers'])
    const make = (): Promise<ClientResponse> => jane.request('POST', CONFIG_MAPS, { body: configMap('of-jane') })
    expect((await make()).status).to.equal(403)
    await plane.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'developers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'developers' }],
    })
    await plane.until(async () => (await make()).status === 201)
    const asked = plane.requests.filter(({ user, verb }) => user === 'jane' && verb === 'create')
    expect(asked.at(-1)).to.deep.include({
      groups: ['developers', 'system:authenticated'],
      uri: CONFIG_MAPS,
      resource: { group: '', version: 'v1', resource: 'configmaps', subresource: '' },
      namespace: 'default',
      status: 201,
    })
    expect(asked.at(-1)?.body).to.nested.include({ 'metadata.name': 'of-jane' })
    expect(asked[0]?.status).to.equal(403)
  })
})
