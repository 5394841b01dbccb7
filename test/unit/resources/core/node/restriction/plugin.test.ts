import { expect } from 'chai'
import type { TypedObject } from '../../../../../../src/api/meta/object.ts'
import type { KindId } from '../../../../../../src/catalog/define.ts'
import type { ResourceDefinition } from '../../../../../../src/catalog/definition.ts'
import type { Release } from '../../../../../../src/lifecycle/release.ts'
import { notFoundError } from '../../../../../../src/meta/status.ts'
import type { Operation } from '../../../../../../src/registry/types.ts'
import { changedKeys } from '../../../../../../src/resources/core/node/restriction/node.ts'
import { nodeRestriction } from '../../../../../../src/resources/core/node/restriction/plugin.ts'
import { admissionRequest, refusal } from '../../../../../support/admission-request.ts'
import { allowingIf } from '../../../../../support/authorizer.ts'
import { featuresIn } from '../../../../../support/hook-context.ts'

type Labels = Record<string, string>
interface Given {
  readonly release?: Release
  readonly gates?: Record<string, boolean>
  /** Audiences that the authorizer allows nodes to request. */
  readonly allowed?: readonly string[]
  readonly user?: string
}
interface Asked extends Given {
  readonly object?: object
  readonly old?: object
  readonly name?: string
  readonly namespace?: string
  readonly subresource?: string
}

const MIRROR = { 'kubernetes.io/config.mirror': 'true' }
const definition = (group: string, plural: string): ResourceDefinition =>
  ({ hub: { group, names: { plural } } }) as unknown as ResourceDefinition

const podOn = (name: string, node: string, spec: object = {}, annotations?: Labels) => ({
  metadata: { name, namespace: 'ns', uid: 'pod-uid', ...(annotations && { annotations }) },
  spec: { nodeName: node, ...spec },
})
const owner = (node: string, over: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  name: node,
  uid: `${node}-uid`,
  controller: true,
  ...over,
})
const mirror = (node: string, spec: object = {}, owners: object[] = [owner(node)]) => {
  const pod = podOn('m', node, spec, MIRROR)
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: owners } }
}
const volumes = (...sources: object[]) => ({ volumes: sources.map((source, i) => ({ name: `v${i}`, ...source })) })
const projecting = (...sources: object[]) => volumes({ projected: { sources } })

const OBJECTS: Readonly<Record<string, object>> = {
  'pods ns/mypod': podOn('mypod', 'mynode'),
  'pods ns/mymirrorpod': mirror('mynode'),
  'pods ns/otherpod': podOn('otherpod', 'othernode'),
  'pods ns/unboundpod': podOn('unboundpod', ''),
  'pods ns/projecting': podOn(
    'projecting',
    'mynode',
    projecting({ serviceAccountToken: { audience: 'foo' } }, { serviceAccountToken: { path: 'p' } }),
  ),
  'pods ns/csi': podOn('csi', 'mynode', volumes({ csi: { driver: 'driver' } })),
  'pods ns/claiming': podOn('claiming', 'mynode', volumes({ persistentVolumeClaim: { claimName: 'claim' } })),
  'pods ns/ephemeral': podOn('ephemeral', 'mynode', volumes({ ephemeral: { volumeClaimTemplate: {} } })),
  'pods ns/unclaimed': podOn('unclaimed', 'mynode', volumes({ persistentVolumeClaim: { claimName: 'none' } })),
  'pods ns/unbacked': podOn('unbacked', 'mynode', volumes({ persistentVolumeClaim: { claimName: 'unbacked' } })),
  'pods ns/undriven': podOn('undriven', 'mynode', volumes({ csi: { driver: 'none' } })),
  'pods ns/undriven-and-csi': podOn('undriven-and-csi', 'mynode', volumes({ csi: { driver: 'none' } }, { csi: { driver: 'driver' } })),
  'pods ns/inline': podOn('inline', 'mynode', volumes({ azureFile: { shareName: 's', secretName: 'secret' } })),
  'pods ns/in-tree': podOn('in-tree', 'mynode', volumes({ persistentVolumeClaim: { claimName: 'in-tree' } })),
  'pods ns/with-account': podOn('with-account', 'mynode', { serviceAccountName: 'sa' }),
  'nodes /mynode': { metadata: { name: 'mynode', uid: 'mynode-uid' } },
  'serviceaccounts ns/sa': { metadata: { name: 'sa', uid: 'sa-uid' } },
  'persistentvolumeclaims ns/claim': { spec: { volumeName: 'volume' } },
  'persistentvolumeclaims ns/ephemeral-v0': { spec: { volumeName: 'volume' } },
  'persistentvolumeclaims ns/unbacked': { spec: { volumeName: 'none' } },
  'persistentvolumeclaims ns/in-tree': { spec: { volumeName: 'azure' } },
  'persistentvolumes /volume': { spec: { csi: { driver: 'driver' } } },
  'persistentvolumes /azure': { spec: { azureFile: { shareName: 's', secretName: 'secret' } } },
  'csidrivers /driver': { spec: { tokenRequests: [{ audience: 'foo' }] } },
  'csidrivers /file.csi.azure.com': { spec: { tokenRequests: [{ audience: 'foo' }] } },
}

/** The error of a node's request, or undefined if it is admitted. */
function ask(operation: Operation, resource: string, asked: Asked = {}): Promise<string | undefined> {
  const { release = '1.33', gates = {}, allowed = [], user = 'system:node:mynode', object, ...parts } = asked
  const [plural = '', ...group] = resource.split('.')
  const features = featuresIn(release, gates)
  const plugin = nodeRestriction({
    features,
    authorizer: allowingIf(
      ({ verb, resource: audience, name }) =>
        verb === 'request-serviceaccounts-token-audience' && name === 'mysa' && allowed.includes(audience),
    ),
    get: async <T extends TypedObject>(id: KindId<T>, name: string, namespace = '') => {
      const found = OBJECTS[`${id.resource} ${namespace}/${name}`]
      if (!found) throw notFoundError(id, name)
      return found as T
    },
  })
  const ctx = { user: { name: user, groups: ['system:nodes'] }, signal: new AbortController().signal }
  const request = admissionRequest(definition(group.join('.'), plural), object ?? {}, { namespace: 'ns', operation, ctx, object, ...parts })
  return plugin.handles(request) ? refusal(plugin.mutate?.(request)) : Promise.resolve(undefined)
}

const part = (text: string | undefined): string | undefined => text?.replace(/^\S+ "[^"]*" is forbidden: /, '')
const SELF = 'spec.nodeName set to itself'
const NODE = 'node "mynode"'

describe('NodeRestriction on pods', () => {
  const named = {
    mypod: podOn('mypod', 'mynode'),
    mymirrorpod: mirror('mynode'),
    otherpod: podOn('otherpod', 'othernode'),
    unboundpod: podOn('unboundpod', ''),
  }
  for (const [name, pod] of Object.entries(named)) {
    const isMine = name.startsWith('my')
    it(`depends on the node of ${name}`, async () => {
      const common = { name, object: pod, old: pod }
      expect(await ask('UPDATE', 'pods', common)).to.contain(
        `unexpected operation "UPDATE", ${NODE} can only create and delete mirror pods`,
      )
      const gone = { name, old: pod }
      expect(part(await ask('DELETE', 'pods', gone))).to.equal(isMine ? undefined : `${NODE} can only delete pods with ${SELF}`)
      expect(part(await ask('UPDATE', 'pods', { ...common, subresource: 'status' }))).to.equal(
        isMine ? undefined : `${NODE} can only update pod status for pods with ${SELF}`,
      )
      expect(await ask('CREATE', 'pods', { ...common, subresource: 'status' })).to.contain('unexpected operation "CREATE"')
      expect(await ask('DELETE', 'pods', { ...gone, subresource: 'status' })).to.contain('unexpected operation "DELETE"')
      const eviction = { object: { metadata: { name } }, subresource: 'eviction' }
      const evicted = isMine ? undefined : `node mynode can only evict pods with ${SELF}`
      expect(part(await ask('CREATE', 'pods', { ...eviction, name }))).to.equal(evicted)
      expect(part(await ask('CREATE', 'pods', eviction))).to.equal(evicted)
      expect(part(await ask('UPDATE', 'pods', { ...eviction, name }))).to.equal('unexpected operation UPDATE')
      expect(await ask('CREATE', 'pods', { ...common, subresource: 'binding' })).to.contain(
        `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
      )
    })
  }

  it('rejects requests for missing pods', async () => {
    expect(await ask('DELETE', 'pods', { name: 'gone', old: {} })).to.equal('pod "gone" not found')
    expect(await ask('CREATE', 'pods', { name: 'gone', object: {}, subresource: 'eviction' })).to.equal('pod "gone" not found')
    expect(await ask('CREATE', 'pods', { object: { metadata: {} }, subresource: 'eviction' })).to.contain(
      'could not determine pod from request data',
    )
  })

  it('prevents changes of labels and claims through the status', async () => {
    const status = (old: object, object: object, release: Release = '1.33') =>
      ask('UPDATE', 'pods', { name: 'mypod', subresource: 'status', old, object, release })
    const pod = podOn('mypod', 'mynode')
    const labelled = (labels: Labels) => ({ ...pod, metadata: { ...pod.metadata, labels } })
    for (const [old, object] of [
      [labelled({ a: 'a' }), labelled({ a: 'a', b: 'b' })],
      [labelled({ a: 'a', b: 'b' }), labelled({ a: 'a' })],
      [labelled({ a: 'a' }), pod],
      [pod, labelled({ a: 'a' })],
    ] as const)
      expect(await status(old, object)).to.contain(`${NODE} cannot update labels through pod status`)
    const withClaims = (...names: string[]) => ({
      ...pod,
      status: { resourceClaimStatuses: names.map(name => ({ name, resourceClaimName: `c-${name}` })) },
    })
    expect(await status(withClaims('a'), withClaims('a'))).to.equal(undefined)
    expect(await status(withClaims('a'), withClaims('a', 'b'))).to.contain(`${NODE} cannot update resource claim statues`)
    expect(await status(withClaims('a'), withClaims('b'), '1.27')).to.equal(undefined)
    const extended = { ...pod, status: { extendedResourceClaimStatus: { resourceClaimName: 'c', requestMappings: [] } } }
    expect(await status(pod, extended)).to.equal(undefined)
    expect(await status(pod, extended, '1.34')).to.contain(`${NODE} cannot update extended resource claim status`)
  })
})

describe('NodeRestriction on mirror pods', () => {
  const create = async (object: object, release: Release = '1.33') => part(await ask('CREATE', 'pods', { object, name: 'm', release }))
  const only = `${NODE} can only create pods with`
  const cases: [string, object, string | undefined][] = [
    ['its own', mirror('mynode'), undefined],
    [
      'no mirror pod',
      podOn('p', 'mynode'),
      `pod does not have "kubernetes.io/config.mirror" annotation, ${NODE} can only create mirror pods`,
    ],
    ['another node', mirror('othernode'), `${only} ${SELF}`],
    ['no node', mirror(''), `${only} ${SELF}`],
    ['no owner', mirror('mynode', {}, []), `${only} an owner reference set to itself`],
    ['two owners', mirror('mynode', {}, [owner('mynode'), owner('mynode')]), `${only} a single owner reference set to itself`],
    ['another name', mirror('mynode', {}, [owner('other')]), `${only} an owner reference set to itself`],
    ['another version', mirror('mynode', {}, [owner('mynode', { apiVersion: 'v2' })]), `${only} an owner reference set to itself`],
    ['another kind', mirror('mynode', {}, [owner('mynode', { kind: 'Pod' })]), `${only} an owner reference set to itself`],
    ['another uid', mirror('mynode', {}, [owner('mynode', { uid: 'x' })]), 'node mynode UID mismatch: expected x got mynode-uid'],
    [
      'no controller',
      mirror('mynode', {}, [owner('mynode', { controller: undefined })]),
      `${only} a controller owner reference set to itself`,
    ],
    [
      'false controller',
      mirror('mynode', {}, [owner('mynode', { controller: false })]),
      `${only} a controller owner reference set to itself`,
    ],
    [
      'a block',
      mirror('mynode', {}, [owner('mynode', { blockOwnerDeletion: true })]),
      `${NODE} must not set blockOwnerDeletion on an owner reference`,
    ],
  ]
  for (const [what, pod, why] of cases) it(what, async () => expect(await create(pod)).to.equal(why))

  it('a missing node', async () => {
    const asked = { object: mirror('gone'), user: 'system:node:gone' }
    expect(await ask('CREATE', 'pods', asked)).to.equal('node "gone" not found')
  })

  const references: [string, object, Release, string | undefined, string | undefined][] = [
    ['an account', { serviceAccountName: 'a' }, '1.24', 'a service account', 'serviceaccounts'],
    ['a secret', volumes({ secret: { secretName: 's' } }), '1.24', 'secrets', 'secrets'],
    ['a map', volumes({ configMap: { name: 'c' } }), '1.24', 'configmaps', 'configmaps'],
    ['a bundle', projecting({ clusterTrustBundle: { name: 'b', path: 'p' } }), '1.29', 'clustertrustbundles', 'clustertrustbundles'],
    ['a claim', volumes({ persistentVolumeClaim: { claimName: 'c' } }), '1.24', 'persistentvolumeclaims', 'persistentvolumeclaims'],
    ['devices', { resourceClaims: [{ name: 'd', resourceClaimName: 'c' }] }, '1.32', 'resourceclaims', 'resourceclaims'],
    ['a driver', volumes({ csi: { driver: 'd' } }), '1.33', undefined, 'csidrivers (via CSI volumes)'],
    ['an ephemeral claim', volumes({ ephemeral: {} }), '1.33', undefined, 'persistentvolumeclaims (via ephemeral volumes)'],
    ['endpoints', volumes({ glusterfs: { endpoints: 'e' } }), '1.33', undefined, 'endpoints (via glusterFS volumes)'],
    [
      'a token',
      projecting({ downwardAPI: {} }, { serviceAccountToken: { path: 'p' } }),
      '1.33',
      undefined,
      'serviceaccounts (via projected volumes)',
    ],
    ['a certificate', projecting({ podCertificate: {} }), '1.33', undefined, 'podcertificates'],
    ['a map without a name', volumes({ configMap: {} }), '1.33', undefined, 'configmaps (via configmap volumes)'],
    [
      'nothing of the API',
      volumes({ hostPath: { path: '/' } }, { emptyDir: {} }, { projected: { sources: [{ downwardAPI: {} }] } }),
      '1.24',
      undefined,
      undefined,
    ],
  ]
  for (const [what, spec, release, early, late] of references)
    it(`with a reference to ${what}`, async () => {
      const refused = (reference: string | undefined) => reference && `${NODE} can not create pods that reference ${reference}`
      expect(await create(mirror('mynode', spec), release)).to.equal(refused(early))
      expect(await create(mirror('mynode', spec), '1.34')).to.equal(refused(late))
    })

  it('rejects unknown types of volumes', async () => {
    const why = 'error checking mirror pod for API references: unknown'
    expect(await create(mirror('mynode', volumes({})), '1.34')).to.equal(`${why} volume type for volume  "v0"`)
    expect(await create(mirror('mynode', projecting({})), '1.34')).to.equal(`${why} source for projected volume "v0"`)
  })
})

describe('NodeRestriction on nodes', () => {
  const meta = { name: 'mynode', uid: 'u' }
  const node = (spec: object = {}, metadata: object = {}) => ({ metadata: { ...meta, ...metadata }, spec })
  const allowed = [
    ...[
      'foo',
      'example.com/foo',
      'kubernetes.io/hostname',
      'failure-domain.beta.kubernetes.io/zone',
      'failure-domain.beta.kubernetes.io/region',
    ],
    ...[
      'topology.kubernetes.io/zone',
      'topology.kubernetes.io/region',
      'beta.kubernetes.io/instance-type',
      'node.kubernetes.io/instance-type',
    ],
    ...['beta.kubernetes.io/os', 'beta.kubernetes.io/arch', 'kubernetes.io/os', 'kubernetes.io/arch', 'kubelet.kubernetes.io/foo'],
    ...['foo.kubelet.kubernetes.io/foo', 'node.kubernetes.io/foo', 'foo.node.kubernetes.io/foo'],
  ]
  const forbidden = [
    'foo.node-restriction.kubernetes.io/foo',
    'node-restriction.kubernetes.io/foo',
    'other.k8s.io/foo',
    'other.kubernetes.io/foo',
  ]
  const labelled = (keys: readonly string[], value = 'v') => node({}, { labels: Object.fromEntries(keys.map(key => [key, value])) })
  const create = async (object: object, parts: Asked = {}) => part(await ask('CREATE', 'nodes', { object, namespace: '', ...parts }))
  const update = async (old: object, object: object, parts: Asked = {}) =>
    part(await ask('UPDATE', 'nodes', { object, old, name: 'mynode', namespace: '', ...parts }))

  it('allows a node to write its own object', async () => {
    expect(await create(node())).to.equal(undefined)
    expect(await update(node(), node())).to.equal(undefined)
    expect(await update(node(), node(), { subresource: 'status' })).to.equal(undefined)
    expect(await ask('DELETE', 'nodes', { name: 'mynode', namespace: '' })).to.equal(undefined)
    const others = `${NODE} is not allowed to modify node "other"`
    expect(await create({ metadata: { name: 'other' }, spec: {} }, { name: 'other' })).to.equal(others)
    expect(await update(node(), node(), { name: 'other', subresource: 'status' })).to.equal(others)
    expect(part(await ask('DELETE', 'nodes', { name: 'other', namespace: '' }))).to.equal(others)
  })

  it('allows a node to set labels without effect on scheduling', async () => {
    expect(await create(labelled(allowed))).to.equal(undefined)
    expect(await update(labelled(allowed, 'old'), labelled(allowed, 'new'))).to.equal(undefined)
    expect(await update(labelled(forbidden), labelled(forbidden))).to.equal(undefined)
    expect(await create(labelled([...forbidden].reverse()))).to.equal(
      `${NODE} is not allowed to set the following labels: ${forbidden.join(', ')}`,
    )
    const refused = `is not allowed to modify labels: ${forbidden.join(', ')}`
    expect(await update(node(), labelled(forbidden))).to.equal(refused)
    expect(await update(labelled(forbidden), node())).to.equal(refused)
    expect(await update(labelled(forbidden, 'old'), labelled(forbidden, 'new'))).to.equal(refused)
  })

  it('prevents changes of taints, owners and the source of the configuration', async () => {
    const tainted = (value: string) => node({ taints: [{ key: 'k', value, effect: 'NoSchedule' }] })
    expect(await create(tainted('a'))).to.equal(undefined)
    for (const [old, object] of [
      [node(), tainted('a')],
      [tainted('a'), node()],
      [tainted('a'), tainted('b')],
    ] as const)
      expect(await update(old, object)).to.equal(`${NODE} is not allowed to modify taints`)
    const owned = (name: string) => node({}, { ownerReferences: [{ name }] })
    for (const [old, object] of [
      [node(), owned('a')],
      [owned('a'), node()],
      [owned('a'), owned('b')],
    ] as const)
      expect(await update(old, object)).to.equal(`${NODE} is not allowed to modify ownerReferences`)
    expect(await update(node(), owned('a'), { release: '1.30' })).to.equal(undefined)
    const from = (name: string) => node({ configSource: { configMap: { name, namespace: 'n', kubeletConfigKey: 'k' } } })
    const refused = `${NODE} is not allowed to update configSource to a new non-nil configSource`
    expect(await create(from('a'))).to.equal(`${NODE} is not allowed to create pods with a non-nil configSource`)
    expect([
      await update(node(), from('a')),
      await update(from('a'), from('b')),
      await update(from('a'), from('a')),
      await update(from('a'), node()),
    ]).to.deep.equal([refused, refused, undefined, undefined])
  })

  it('finds changed labels', () => {
    const cases: [Labels, Labels, string][] = [
      [{}, {}, ''],
      [{ x: '1' }, { x: '1' }, ''],
      [{}, { a: '0' }, 'a'],
      [{ z: '3' }, {}, 'z'],
      [{ z: '3' }, { z: '4' }, 'z'],
      [{}, { a: '' }, 'a'],
      [{ z: '' }, {}, 'z'],
      [{ z: '3' }, { z: '' }, 'z'],
      [{ a: '1', b: '2' }, { a: '2', c: '3' }, 'a,b,c'],
    ]
    for (const [a, b, keys] of cases) expect(changedKeys(a, b).sort().join(',')).to.equal(keys)
  })
})

describe('NodeRestriction on tokens', () => {
  const request = (pod: string, uid: string | undefined, ...audiences: string[]) => ({
    metadata: {},
    spec: { audiences, ...(pod !== '' && { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: pod, ...(uid && { uid }) } }) },
  })
  const ON = { ServiceAccountNodeAudienceRestriction: true }
  const ask1 = (object: object, parts: Asked = {}) =>
    ask('CREATE', 'serviceaccounts', { object, name: 'mysa', subresource: 'token', ...parts })
  const token = async (pod: string, audience: string, parts: Asked = {}) =>
    part(await ask1(request(pod, 'pod-uid', ...(audience ? [audience] : [])), { gates: ON, ...parts }))

  it('requires a pod on the node', async () => {
    expect(await ask1(request('', undefined, 'foo'))).to.contain('node requested token not bound to a pod')
    expect(await ask1(request('nopod', 'u', 'foo'))).to.equal('pod "nopod" not found')
    expect(await ask1(request('mypod', undefined, 'foo'))).to.contain('node requested token with a pod binding without a uid')
    expect(await ask1(request('mypod', 'x', 'foo'))).to.contain(
      'the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    )
    expect(await ask1(request('otherpod', 'pod-uid', 'foo'))).to.contain(
      'node requested token bound to a pod scheduled on a different node',
    )
    expect(await ask1(request('mypod', 'pod-uid', 'foo'), { gates: { ServiceAccountNodeAudienceRestriction: false } })).to.equal(undefined)
  })

  const unknown = (audience: string) =>
    `audience "${audience}" not found in pod spec volume, system:node:mynode is not authorized to request tokens for this audience`
  const cases: [pod: string, audience: string, refused: string | undefined][] = [
    ['projecting', 'foo', undefined],
    ['projecting', '', undefined],
    ['projecting', 'bar', unknown('bar')],
    ['mypod', 'foo', unknown('foo')],
    ['csi', 'foo', undefined],
    ['csi', 'bar', unknown('bar')],
    ['claiming', 'foo', undefined],
    ['claiming', 'bar', unknown('bar')],
    ['ephemeral', 'foo', undefined],
    ['ephemeral', 'bar', unknown('bar')],
    ['inline', 'foo', undefined],
    ['in-tree', 'foo', undefined],
    ['undriven', 'foo', 'error validating audience "foo": csidriver.storage.k8s.io "none" not found'],
    ['unclaimed', 'foo', 'error validating audience "foo": persistentvolumeclaim "none" not found'],
    ['unbacked', 'foo', 'error validating audience "foo": persistentvolume "none" not found'],
    ['undriven-and-csi', 'foo', undefined],
  ]
  for (const [pod, audience, refused] of cases)
    it(`with audience ${audience || 'no audience'}, bound to ${pod}`, async () => expect(await token(pod, audience)).to.equal(refused))

  it('allows one audience, which the pod uses or the node may request', async () => {
    expect(part(await ask1(request('projecting', 'pod-uid', 'foo', 'bar'), { gates: ON }))).to.equal(
      'node may only request 0 or 1 audiences',
    )
    expect(await token('mypod', 'foo', { allowed: ['foo'] })).to.equal(undefined)
    expect(await token('mypod', 'foo', { allowed: ['foo'], release: '1.32' })).to.equal('audience "foo" not found in pod spec volume')
    expect(await token('mypod', 'foo', { gates: {}, release: '1.32' })).to.equal(undefined)
    expect(await token('mypod', 'foo', { gates: {}, release: '1.31' })).to.equal(undefined)
  })
})

describe('NodeRestriction on other objects of nodes', () => {
  const lease = (name: string) => ({ metadata: { name } })
  it('restricts leases', async () => {
    const leases = 'leases.coordination.k8s.io'
    for (const operation of ['CREATE', 'UPDATE', 'DELETE'] as const) {
      const parts = (name: string) => ({ ...(operation !== 'CREATE' && { name }), ...(operation !== 'DELETE' && { object: lease(name) }) })
      expect(await ask(operation, leases, { namespace: 'kube-node-lease', ...parts('mynode') })).to.equal(undefined)
      expect(await ask(operation, leases, { namespace: 'kube-node-lease', ...parts('other') })).to.contain(
        'can only access node lease with the same name as the requesting node',
      )
      expect(await ask(operation, leases, parts('mynode'))).to.contain('can only access leases in the "kube-node-lease" system namespace')
      expect(await ask(operation, 'csinodes.storage.k8s.io', parts('mynode'))).to.equal(undefined)
      expect(await ask(operation, 'csinodes.storage.k8s.io', parts('other'))).to.contain(
        'can only access CSINode with the same name as the requesting node',
      )
    }
  })

  it('restricts ResourceSlices', async () => {
    const slices = 'resourceslices.resource.k8s.io'
    const of = (nodeName?: string) => ({ metadata: { name: 's' }, spec: { nodeName } })
    const refused = (done: string) => `can only ${done} ResourceSlice with the same NodeName as the requesting node`
    expect(await ask('CREATE', slices, { object: of('mynode') })).to.equal(undefined)
    expect(part(await ask('CREATE', slices, { object: of('other') }))).to.equal(refused('create'))
    expect(part(await ask('CREATE', slices, { object: of() }))).to.equal(refused('create'))
    expect(await ask('UPDATE', slices, { object: of('other'), old: of('other'), name: 's' })).to.equal(undefined)
    expect(await ask('DELETE', slices, { old: of('mynode'), name: 's' })).to.equal(undefined)
    expect(part(await ask('DELETE', slices, { old: of('other'), name: 's' }))).to.equal(refused('delete'))
    expect(await ask('CREATE', slices, { object: of('other'), release: '1.29' })).to.equal(undefined)
  })

  it('restricts claims', async () => {
    const claim = (status: object, spec: object = {}) => ({
      metadata: { name: 'c', resourceVersion: JSON.stringify(status) },
      spec,
      status,
    })
    const update = async (old: object, object: object, gates: Record<string, boolean> = {}) =>
      part(await ask('UPDATE', 'persistentvolumeclaims', { name: 'c', old, object, subresource: 'status', gates }))
    expect(part(await ask('UPDATE', 'persistentvolumeclaims', { name: 'c', old: claim({}), object: claim({}) }))).to.equal(
      'may only update PVC status',
    )
    expect(part(await ask('DELETE', 'persistentvolumeclaims', { name: 'c', subresource: 'status' }))).to.equal(
      'unexpected operation "DELETE"',
    )
    expect(
      await update(claim({ capacity: { storage: '1' }, conditions: [{ type: 'Resizing' }] }), claim({ capacity: { storage: '2' } })),
    ).to.equal(undefined)
    const recovering = claim({ allocatedResources: { storage: '1' }, allocatedResourceStatuses: { storage: 'NodeResizePending' } })
    expect(await update(claim({}), recovering)).to.equal(undefined)
    const why = `${NODE} is not allowed to update fields other than status.quantity and status.conditions: `
    expect(await update(claim({}), recovering, { RecoverVolumeExpansionFailure: false })).to.contain(why)
    expect(await update(claim({}), claim({ phase: 'Bound' }))).to.contain(why)
    expect(await update(claim({}), claim({}, { volumeName: 'v' }))).to.contain(why)
  })

  it('ignores other users, and rejects a node user without a name', async () => {
    expect(await ask('CREATE', 'pods', { object: podOn('p', ''), user: 'bob' })).to.equal(undefined)
    expect(await ask('CREATE', 'configmaps', { object: {} })).to.equal(undefined)
    expect(await ask('CREATE', 'configmaps', { object: { metadata: {} }, user: 'system:node:' })).to.contain(
      'could not determine node from user "system:node:"',
    )
  })
})

describe('NodeRestriction on PodCertificateRequests', () => {
  const GATE = { PodCertificateRequest: true }
  const spec = {
    podName: 'with-account',
    podUID: 'pod-uid',
    serviceAccountName: 'sa',
    serviceAccountUID: 'sa-uid',
    nodeName: 'mynode',
    nodeUID: 'mynode-uid',
  }
  const create = async (over: object = {}, given: Given = {}) =>
    part(
      await ask('CREATE', 'podcertificaterequests.certificates.k8s.io', {
        object: { metadata: {}, spec: { ...spec, ...over } },
        release: '1.34',
        gates: GATE,
        ...given,
      }),
    )
  const which = 'PodCertificateRequest for pod "ns/with-account"'

  it('requires the pod, account and node of the request to match', async () => {
    expect(await create()).to.equal(undefined)
    expect(await create({}, { gates: {} })).to.equal('PodCertificateRequest feature gate is disabled')
    expect(await create({ nodeName: 'other' })).to.equal(
      'PodCertificateRequest.Spec.NodeName="other", which is not the requesting node "mynode"',
    )
    expect(await create({ nodeUID: 'x' })).to.equal(`${which} names node UID "x", inconsistent with the running node ("mynode-uid")`)
    expect(await create({ podUID: 'x' })).to.equal(`${which} contains pod UID ("x") which differs from running pod "pod-uid"`)
    expect(await create({ podName: 'gone' })).to.equal(
      'while retrieving pod "ns/gone" named in the PodCertificateRequest: pod "gone" not found',
    )
    expect(await create({ nodeName: 'gone' }, { user: 'system:node:gone' })).to.equal(
      'while retrieving node "gone" named in the PodCertificateRequest: node "gone" not found',
    )
    expect(await create({ podName: 'otherpod' })).to.equal(
      'pod "ns/otherpod" is not running on node "mynode" named in the PodCertificateRequest',
    )
    expect(await create({ podName: 'mymirrorpod' })).to.equal('pod "ns/mymirrorpod" is a mirror pod')
    expect(await create({ serviceAccountName: 'other' })).to.equal(
      `${which} contains serviceAccountName ("other") that differs from running pod ("sa")`,
    )
    expect(await create({ serviceAccountUID: 'x' })).to.equal(
      `${which} names service account UID "x", which differs from the running service account ("sa-uid")`,
    )
  })
})

describe('NodeRestriction on CertificateSigningRequests', () => {
  /** For O=system:nodes, CN=system:node:mynode. */
  const der = [
    'MIHwMIGWAgEAMDQxFTATBgNVBAoMDHN5c3RlbTpub2RlczEbMBkGA1UEAwwSc3lzdGVtOm5vZGU6bXlub2RlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE04ot5VPaPxsglN1xBkTA',
    'JOBuzUejOdtFx3vPGLmOuv7oqaj6Tc23efltaaDgRK1FCDYPHaYrpAadiXPl/CkyJ6AAMAoGCCqGSM49BAMCA0kAMEYCIQDSgoKXJKWauoJZRwV4RJNiANj9TBJEd02AFiHJDDZDpQIh',
    'AMxr9hiAs83gJ4lfk5dOMzr91SqwkH3BtJdBWoHsfy1a',
  ].join('')
  const pem = (text: string, type = 'CERTIFICATE REQUEST') =>
    Buffer.from(`-----BEGIN ${type}-----\n${text}\n-----END ${type}-----\n`).toString('base64')
  const create = async (signerName: string, request = pem(der), given: Given = {}) =>
    part(
      await ask('CREATE', 'certificatesigningrequests.certificates.k8s.io', {
        object: { metadata: {}, spec: { signerName, request } },
        ...given,
      }),
    )

  it('requires the name of the node as common name', async () => {
    for (const signer of ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']) {
      expect(await create(signer)).to.equal(undefined)
      const refused = 'can only create a node CSR with CN=system:node:other'
      expect(await create(signer, pem(der), { user: 'system:node:other' })).to.equal(refused)
      expect(
        await create(signer, pem(der), { user: 'system:node:other', gates: { AllowInsecureKubeletCertificateSigningRequests: true } }),
      ).to.equal(undefined)
      expect(await create(signer, pem(der), { user: 'system:node:other', release: '1.30' })).to.equal(undefined)
    }
    expect(await create('example.com/signer', pem(der), { user: 'system:node:other' })).to.equal(undefined)
  })

  it('rejects requests that cannot be parsed', async () => {
    const why = 'unable to parse csr: '
    expect(await create('kubernetes.io/kubelet-serving', pem(''))).to.equal(`${why}asn1: syntax error: sequence truncated`)
    expect(await create('kubernetes.io/kubelet-serving', pem(der, 'CERTIFICATE'))).to.equal(
      `${why}PEM block type must be CERTIFICATE REQUEST`,
    )
  })
})
