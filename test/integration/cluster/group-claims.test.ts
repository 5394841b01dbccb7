import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims'
const PODS = '/api/v1/namespaces/default/pods'
const resource = (kind: string, name: string, spec: object, namespace?: string): Manifest => ({
  apiVersion: 'resource.k8s.io/v1',
  kind,
  metadata: { name, ...(namespace && { namespace }) },
  spec,
})
const claimSpec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } }
const template = resource('ResourceClaimTemplate', 't', { spec: claimSpec }, 'default')
const slice = (nodeName: string): Manifest =>
  resource('ResourceSlice', `gpus-${nodeName}`, {
    driver: 'd.example.com',
    nodeName,
    pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'gpu-0' }],
  })
const entry = { name: 'gpu', resourceClaimTemplateName: 't' }
const pod = (name: string, podGroupName: string, claim: object = entry): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    containers: [{ name: 'c', image: 'app:1', resources: { claims: [{ name: 'gpu' }] } }],
    resourceClaims: [claim],
    schedulingGroup: { podGroupName },
  },
})

for (const [release, version, gates] of [
  ['1.36', 'v1alpha2', 'GenericWorkload=true,GangScheduling=true'],
  ['1.37', 'v1beta1', 'GenericWorkload=true'],
] as const)
  describe(`claims of groups of pods in ${release}`, () => {
    const GROUPS = `/apis/scheduling.k8s.io/${version}/namespaces/default/podgroups`
    let original: ControlPlane
    let plane: ControlPlane
    before(async () => {
      original = await startControlPlane({
        flags: {
          profile: 'cluster',
          nodes: 2,
          'emulated-version': release,
          'feature-gates': `${gates},DRAWorkloadResourceClaims=true`,
          'runtime-config': `scheduling.k8s.io/${version}=true`,
        },
      })
      await original.until(async () => (await nodeNames(original)).length === 2)
    })
    after(() => original.stop())
    beforeEach(async () => {
      plane = await original.fork()
      await plane.apply(resource('DeviceClass', 'gpu', {}), ...(await nodeNames(plane)).map(slice))
    })
    afterEach(() => plane.stop())

    const nodeNames = async (of: ControlPlane): Promise<string[]> =>
      (await of.request<AnyObject>('GET', '/api/v1/nodes')).body.items.map(({ metadata }: AnyObject) => metadata.name)
    const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
    const claims = async (): Promise<AnyObject[]> => (await get(CLAIMS)).items
    const nodeOf = async (name: string): Promise<string | undefined> => (await get(`${PODS}/${name}`)).spec?.nodeName
    const bound = (...names: string[]): Promise<void> =>
      plane.until(async () => (await Promise.all(names.map(nodeOf))).every(node => node !== undefined))
    const group = (name: string, minCount: number, claim: object = entry): Manifest => ({
      apiVersion: `scheduling.k8s.io/${version}`,
      kind: 'PodGroup',
      metadata: { name, namespace: 'default' },
      spec: { schedulingPolicy: { gang: { minCount } }, resourceClaims: [claim] },
    })

    it('are made of templates once for all pods, which share the devices', async () => {
      await plane.apply(template, pod('a', 'train'))
      await plane.settled()
      expect(await claims(), 'the group does not exist yet').to.deep.equal([])
      await plane.apply(group('train', 3), pod('b', 'train'), pod('c', 'train'))
      await bound('a', 'b', 'c')
      const [claim, ...others] = await claims()
      expect(others).to.deep.equal([])
      const { metadata, status } = await get(`${GROUPS}/train`)
      expect(status.resourceClaimStatuses).to.deep.equal([{ name: 'gpu', resourceClaimName: claim?.metadata.name }])
      expect(claim?.metadata.name).to.match(/^train-gpu-/)
      expect(claim?.metadata.annotations).to.deep.equal({ 'resource.kubernetes.io/podgroup-claim-name': 'gpu' })
      expect(claim?.metadata.ownerReferences?.[0]).to.include({ kind: 'PodGroup', name: 'train', uid: metadata.uid })
      expect(claim?.status.reservedFor).to.deep.equal([
        { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'train', uid: metadata.uid },
      ])
      const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(name => get(`${PODS}/${name}`)))
      expect(new Set([a, b, c].map(one => one?.spec.nodeName)).size).to.equal(1)
      for (const one of [a, b, c])
        expect(one?.status.resourceClaimStatuses).to.deep.equal([{ name: 'gpu', resourceClaimName: claim?.metadata.name }])
    })

    it('differ from group to group, and are freed when the group is gone', async () => {
      await plane.apply(
        template,
        group('one', 2),
        group('two', 2),
        ...['a', 'b'].map(name => pod(name, 'one')),
        pod('c', 'two'),
        pod('d', 'two'),
      )
      await bound('a', 'b', 'c', 'd')
      expect(await nodeOf('a')).to.equal(await nodeOf('b'))
      expect(await nodeOf('c')).to.equal(await nodeOf('d'))
      expect(await nodeOf('a')).to.not.equal(await nodeOf('c'))
      // Without pods, the claim stays with the group.
      for (const name of ['a', 'b']) await plane.request('DELETE', `${PODS}/${name}`, { body: { gracePeriodSeconds: 0 } })
      await plane.settled()
      expect((await claims()).filter(({ status }) => status.allocation)).to.have.length(2)
      await plane.request('DELETE', `${GROUPS}/one`)
      await plane.until(async () => (await claims()).length === 1)
      await plane.apply(group('three', 1), pod('e', 'three'))
      await bound('e')
    })

    it('can have names, and are reserved for pods that do not name them as the group does', async () => {
      await plane.apply(resource('ResourceClaim', 'shared', claimSpec, 'default'))
      const named = { name: 'gpu', resourceClaimName: 'shared' }
      await plane.apply(group('train', 2, named), pod('a', 'train', named), pod('b', 'train', named))
      await bound('a', 'b')
      await plane.apply(group('other', 1, { ...named, name: 'x' }), pod('c', 'other', named))
      await bound('c')
      expect((await claims())[0]?.status.reservedFor.map(({ resource: of, name }: AnyObject) => [of, name])).to.deep.equal([
        ['podgroups', 'train'],
        ['pods', 'c'],
      ])
    })

    it('are made again if they are deleted', async () => {
      await plane.apply(template, group('train', 2))
      await plane.until(async () => (await get(`${GROUPS}/train`)).status?.resourceClaimStatuses?.length === 1)
      const [made] = await claims()
      await plane.request('DELETE', `${CLAIMS}/${made?.metadata.name}`)
      await plane.until(async () => {
        const [again] = await claims()
        const [known] = (await get(`${GROUPS}/train`)).status.resourceClaimStatuses
        return again !== undefined && again.metadata.uid !== made?.metadata.uid && known.resourceClaimName === again.metadata.name
      })
    })

    it('evict all pods of the group when a device is tainted', async () => {
      await plane.apply(template, group('train', 2), pod('a', 'train'), pod('b', 'train'))
      await bound('a', 'b')
      const node = (await nodeOf('a')) ?? ''
      const taints = [{ key: 'broken', effect: 'NoExecute' }]
      const tainted = slice(node) as AnyObject
      await plane.apply({
        ...tainted,
        spec: { ...tainted.spec, pool: { ...tainted.spec.pool, generation: 2 }, devices: [{ name: 'gpu-0', taints }] },
      } as Manifest)
      await plane.until(async () => (await Promise.all(['a', 'b'].map(nodeOf))).every(one => one === undefined))
    })
  })
