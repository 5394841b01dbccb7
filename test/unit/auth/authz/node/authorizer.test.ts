import { expect } from 'chai'
import type { PersistentVolume, Pod } from '../../../../../src/api/core/v1.types.ts'
import { NodeGraph } from '../../../../../src/auth/authz/node/graph.ts'
import { nodeAuthorizerOf } from '../../../../../src/control-plane/node-service.ts'
import { boundClaimOf, referencesOf } from '../../../../../src/controllers/node-graph.ts'
import type { Features } from '../../../../../src/lifecycle/gates.ts'
import { parseFieldSelector } from '../../../../../src/meta/field-selector.ts'
import { resourceAttributes } from '../../../../../src/meta/request-attributes.ts'
import { kubeletSecrets } from '../../../../../src/resources/core/persistent-volume/secrets.ts'
import { featuresIn } from '../../../../support/hook-context.ts'

const signal = new AbortController().signal
const userOf = (node: string) => ({ name: `system:node:${node}`, groups: ['system:nodes'] })

const podOf = (name: string, namespace: string, spec: object, status: object = {}): Pod =>
  ({ kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace }, spec, status }) as unknown as Pod
const put = (graph: NodeGraph, pod: Pod): boolean =>
  graph.putPod(pod.metadata.namespace ?? '', pod.metadata.name ?? '', pod.spec.nodeName ?? '', referencesOf(pod))
const secretVolume = (secretName: string) => ({ name: secretName, secret: { secretName } })

/**
 * Two nodes with two pods each, with secrets, config maps, claims and accounts named after them, as in upstream's test.
 */
function sampleGraph(): NodeGraph {
  const graph = new NodeGraph()
  for (const node of ['node0', 'node1']) {
    for (const p of [0, 1]) {
      const name = `pod${p}-${node}`
      const namespace = `ns${p}`
      const volume = `pv0-${name}-${namespace}`
      const spec = {
        nodeName: node,
        serviceAccountName: `svcacct${p}-${node}`,
        volumes: [
          secretVolume(`secret0-${name}`),
          secretVolume('secret0-shared'),
          { name: 'c', configMap: { name: `configmap0-${name}` } },
          { name: 'p', persistentVolumeClaim: { claimName: `pvc0-${name}` } },
        ],
        resourceClaims: [
          { name: 'claim0', resourceClaimName: `claim0-${name}-${namespace}` },
          { name: 'template0', resourceClaimTemplateName: `claimtemplate0-${name}-${namespace}` },
          { name: 'made0', resourceClaimTemplateName: `claimtemplate0-${name}-${namespace}` },
        ],
      }
      put(
        graph,
        podOf(name, namespace, spec, {
          resourceClaimStatuses: [{ name: 'made0', resourceClaimName: `generated-claim-${name}-${namespace}-0` }],
        }),
      )
      const claimed = {
        metadata: { name: volume },
        spec: { flexVolume: { secretRef: { name: `secret-${volume}` } }, claimRef: { namespace, name: `pvc0-${name}` } },
      } as unknown as PersistentVolume
      graph.putVolume(volume, boundClaimOf(claimed), kubeletSecrets(claimed))
      for (const i of [0, 1]) graph.putOwned('podcertificaterequest', namespace, `pcr${i}-${name}`, node)
    }
    graph.putOwned('volumeattachment', '', `attachment0-${node}`, node)
    for (const i of [0, 1, 2]) graph.putOwned('resourceslice', '', `slice${i}-${node}`, node)
  }
  return graph
}

/** Features with which a line of the table applies. */
const FEATURES: Readonly<Record<string, readonly Features[]>> = (() => {
  const unselected = featuresIn('1.33', {
    AuthorizeWithSelectors: false,
    AuthorizeNodeWithSelectors: false,
    DynamicResourceAllocation: true,
  })
  const selected = featuresIn('1.33', { DynamicResourceAllocation: true })
  return {
    any: [unselected, selected],
    unselected: [unselected],
    selected: [selected],
    accounts: [featuresIn('1.33', { KubeletServiceAccountTokenForCredentialProviders: true })],
    'no-accounts': [selected],
    certificates: ['1.34', '1.35', '1.36'].map(release => featuresIn(release as '1.34', { PodCertificateRequest: true })),
  }
})()

/**
 * Decisions for node0: the decision, the features, the verb, `RESOURCE.GROUP/SUBRESOURCE`, `NAMESPACE/NAME`, the
 * selector, and the reason of a denial. The cases of TestNodeAuthorizer in plugin/pkg/auth/authorizer/node of
 * k8s.io/kubernetes 1.33 and 1.34.
 */
const TABLE = `
allow any get configmaps ns0/configmap0-pod0-node0
allow any get secrets ns0/secret0-pod0-node0
allow any list secrets ns0/secret0-pod0-node0
allow any watch secrets ns0/secret0-pod0-node0
no any list secrets ns0/: No Object name found
no any watch secrets ns0/: No Object name found
no any list secrets secret0-pod0-node0: can only read namespaced object of this type
allow any get secrets ns0/secret0-shared
allow any get secrets ns0/secret-pv0-pod0-node0-ns0
allow any get persistentvolumeclaims ns0/pvc0-pod0-node0
allow any get resourceclaims.resource.k8s.io ns0/claim0-pod0-node0-ns0
allow any get resourceclaims.resource.k8s.io ns0/generated-claim-pod0-node0-ns0-0
allow any get persistentvolumes pv0-pod0-node0-ns0
no any get configmaps ns0/configmap0-pod0-node1
no any get secrets ns0/secret0-pod0-node1
no any get secrets ns0/secret-pv0-pod0-node1-ns0
no any get persistentvolumeclaims ns0/pvc0-pod0-node1
no any get resourceclaims.resource.k8s.io ns0/claim0-pod0-node1-ns0
no any get resourceclaims.resource.k8s.io ns0/pod0-node1-claimtemplate0
no any get persistentvolumes pv0-pod0-node1-ns0
allow any get volumeattachments.storage.k8s.io attachment0-node0
allow any create serviceaccounts/token ns0/svcacct0-node0
no any create serviceaccounts/token ns0/svcacct0-node1
no any create serviceaccounts ns0/svcacct0-node0
no any update serviceaccounts/token ns0/svcacct0-node0
allow accounts get serviceaccounts ns0/svcacct0-node0
no no-accounts get serviceaccounts ns0/svcacct0-node0: not allowed to get service accounts
no no-accounts list serviceaccounts ns0/svcacct0-node0: can only create tokens for individual service accounts
no no-accounts watch serviceaccounts ns0/svcacct0-node0: can only create tokens for individual service accounts
allow certificates create serviceaccounts/token ns0/svcacct0-node0
allow certificates get serviceaccounts ns0/svcacct0-node0
no any create podcertificaterequests.certificates.k8s.io ns0/pcr0-pod0-node0
allow certificates create podcertificaterequests.certificates.k8s.io ns0/pcr0-pod0-node0
no any get podcertificaterequests.certificates.k8s.io ns0/pcr0-pod0-node0
allow certificates get podcertificaterequests.certificates.k8s.io ns0/pcr0-pod0-node0
no any list podcertificaterequests.certificates.k8s.io ns0/pcr0-pod0-node0
no certificates list podcertificaterequests.certificates.k8s.io ns0/pcr0-pod0-node0: can only list/watch podcertificaterequests with nodeName field selector
allow certificates list podcertificaterequests.certificates.k8s.io ns0/- where=spec.nodeName=node0
no certificates list podcertificaterequests.certificates.k8s.io ns0/- where=spec.nodeName=node1: can only list/watch podcertificaterequests with nodeName field selector
no certificates list podcertificaterequests.certificates.k8s.io ns0/- where=spec.nodeName=node1: can only list/watch podcertificaterequests with nodeName field selector
no any watch podcertificaterequests.certificates.k8s.io ns0/pcr0-pod0-node0
no certificates watch podcertificaterequests.certificates.k8s.io ns0/pcr0-pod0-node0: can only list/watch podcertificaterequests with nodeName field selector
allow certificates watch podcertificaterequests.certificates.k8s.io ns0/- where=spec.nodeName=node0
no certificates watch podcertificaterequests.certificates.k8s.io ns0/- where=spec.nodeName=node1: can only list/watch podcertificaterequests with nodeName field selector
no any get leases.coordination.k8s.io foo/node0
no any create leases.coordination.k8s.io foo/node0
no any update leases.coordination.k8s.io foo/node0
no any patch leases.coordination.k8s.io foo/node0
no any delete leases.coordination.k8s.io foo/node0
no any get leases.coordination.k8s.io kube-node-lease/node1
no any update leases.coordination.k8s.io kube-node-lease/node1
no any patch leases.coordination.k8s.io kube-node-lease/node1
no any delete leases.coordination.k8s.io kube-node-lease/node1
no any list leases.coordination.k8s.io kube-node-lease/
no any watch leases.coordination.k8s.io kube-node-lease/
allow any get leases.coordination.k8s.io kube-node-lease/node0
allow any create leases.coordination.k8s.io kube-node-lease/node0
allow any update leases.coordination.k8s.io kube-node-lease/node0
allow any patch leases.coordination.k8s.io kube-node-lease/node0
allow any delete leases.coordination.k8s.io kube-node-lease/node0
no any get csinodes.storage.k8s.io/csiDrivers node0
no any get csinodes.storage.k8s.io node1
no any update csinodes.storage.k8s.io node1
no any patch csinodes.storage.k8s.io node1
no any delete csinodes.storage.k8s.io node1
no any list csinodes.storage.k8s.io -
no any watch csinodes.storage.k8s.io -
allow any get csinodes.storage.k8s.io node0
allow any create csinodes.storage.k8s.io node0
allow any update csinodes.storage.k8s.io node0
allow any patch csinodes.storage.k8s.io node0
allow any delete csinodes.storage.k8s.io node0
no any get resourceslices.resource.k8s.io/status slice0-node0
no any get resourceslices.resource.k8s.io slice0-node1
no any update resourceslices.resource.k8s.io slice0-node1
no any patch resourceslices.resource.k8s.io slice0-node1
no any delete resourceslices.resource.k8s.io slice0-node1
allow any list resourceslices.resource.k8s.io - where=spec.nodeName==node0
allow unselected list resourceslices.resource.k8s.io -
no selected list resourceslices.resource.k8s.io -: can only list/watch/deletecollection resourceslices with nodeName field selector
allow any watch resourceslices.resource.k8s.io - where=spec.nodeName==node0
allow unselected watch resourceslices.resource.k8s.io -
no selected watch resourceslices.resource.k8s.io -: can only list/watch/deletecollection resourceslices with nodeName field selector
allow any get resourceslices.resource.k8s.io slice0-node0
allow any create resourceslices.resource.k8s.io slice0-node0
allow any update resourceslices.resource.k8s.io slice0-node0
allow any patch resourceslices.resource.k8s.io slice0-node0
allow any delete resourceslices.resource.k8s.io slice0-node0
allow any get pods ns0/pod0-node0
allow unselected get pods ns0/pod0-node1
no selected get pods ns0/pod0-node1: no relationship found between node 'node0' and this object
allow any list pods - where=spec.nodeName=node0
allow any list pods - where=spec.nodeName==node0
allow any list pods ns0/pod0-node0
allow unselected list pods -
no selected list pods -: can only list/watch pods with spec.nodeName field selector
allow any watch pods - where=spec.nodeName=node0
allow any watch pods - where=spec.nodeName==node0
allow any watch pods ns0/pod0-node0
allow unselected watch pods -
no selected watch pods -: can only list/watch pods with spec.nodeName field selector
allow any create pods ns0/
no any create pods/proxy ns0/
allow any delete pods ns0/pod0-node0
allow any delete pods ns0/pod0-node1
no any delete pods/proxy ns0/pod0-node0
allow any update pods/status ns0/pod0-node0
allow any update pods/status ns0/pod0-node1
allow any patch pods/status ns0/pod0-node0
allow any patch pods/status ns0/pod0-node1
no any get pods/status ns0/pod0-node0
allow any create pods/eviction ns0/pod0-node0
allow any create pods/eviction ns0/pod0-node1
allow any get nodes nodeunregistered as=nodeunregistered
allow any get nodes node0
allow unselected get nodes node1
no selected get nodes node1: node 'node0' cannot read 'node1', only its own Node object
allow any list nodes node0
allow unselected list nodes node1
no selected list nodes node1: node 'node0' cannot read 'node1', only its own Node object
allow unselected list nodes -
no selected list nodes -: node 'node0' cannot read all nodes, only its own Node object
allow any watch nodes node0
allow unselected watch nodes node1
no selected watch nodes node1: node 'node0' cannot read 'node1', only its own Node object
allow unselected watch nodes -
no selected watch nodes -: node 'node0' cannot read all nodes, only its own Node object
allow any create nodes -
allow any update nodes node0
allow any update nodes node1
allow any patch nodes node0
allow any patch nodes node1
allow any update nodes/status node0
allow any update nodes/status node1
allow any patch nodes/status node0
allow any patch nodes/status node1
`

const LINE =
  /^(allow|no) (\S+) (\S+) ([^./ ]+)(?:\.([^/ ]+))?(?:\/(\S+))? (?:([^/ ]+)\/)?(\S*?)(?: as=(\S+))?(?: where=(\S+?))?(?:: (.*))?$/

describe('nodeAuthorizer', () => {
  const graph = sampleGraph()
  for (const line of TABLE.trim().split('\n'))
    it(line, async () => {
      const [
        ,
        wanted,
        variant = '',
        verb = '',
        resource = '',
        group = '',
        subresource = '',
        namespace = '',
        name = '',
        user = 'node0',
        where,
        reason,
      ] = LINE.exec(line) ?? []
      const fieldSelector = where === undefined ? undefined : parseFieldSelector(where)
      const asked = resourceAttributes({
        verb,
        group,
        resource,
        subresource,
        namespace,
        name: name === '-' ? '' : name,
        ...(fieldSelector && { fieldSelector }),
      })
      for (const features of FEATURES[variant] ?? []) {
        const decision = await nodeAuthorizerOf(graph, features).authorize(userOf(user), asked, signal)
        expect(decision.decision).to.equal(wanted === 'allow' ? 'allow' : 'no opinion')
        if (reason !== undefined) expect(decision.reason).to.equal(reason)
      }
    })

  const authorizer = nodeAuthorizerOf(graph, featuresIn('1.33'))
  it('has no opinion on other users, and reports a node without name', async () => {
    const asked = resourceAttributes({ verb: 'get', resource: 'services', name: 's' })
    const ask = (name: string, ...groups: string[]) => authorizer.authorize({ name, groups }, asked, signal)
    expect(await ask('system:node:node0', 'system:nodes')).to.deep.equal({ decision: 'allow', reason: '', by: 'Node' })
    expect(await ask('system:node:node0')).to.deep.equal({ decision: 'no opinion', reason: '' })
    expect(await ask('node0', 'system:nodes')).to.deep.equal({ decision: 'no opinion', reason: '' })
    expect(await ask('system:node:', 'system:nodes')).to.deep.equal({
      decision: 'no opinion',
      reason: 'unknown node for user "system:node:"',
    })
  })

  it('lists no rules', () => {
    expect(authorizer.rulesFor?.(userOf('n'), 'ns')).to.deep.include({
      incomplete: true,
      errors: ['node authorizer does not support user rule resolution'],
    })
    expect(authorizer.rulesFor?.({ name: 'jane', groups: [] }, 'ns')).to.deep.include({ incomplete: false, errors: [] })
  })

  it('keeps the rules of early releases', async () => {
    const ask = async (release: '1.24' | '1.27' | '1.30' | '1.32', verb: string, resource: string, name: string) =>
      (
        await nodeAuthorizerOf(graph, featuresIn(release)).authorize(
          userOf('node0'),
          resourceAttributes({ verb, resource, name, namespace: 'ns0' }),
          signal,
        )
      ).reason
    expect(await ask('1.32', 'get', 'serviceaccounts', 'svcacct0-node0')).to.equal('can only create tokens for individual service accounts')
    expect(await ask('1.32', 'get', 'pods', 'pod0-node1')).to.equal("no relationship found between node 'node0' and this object")
    expect(await ask('1.30', 'get', 'pods', 'pod0-node1')).to.equal('')
  })
})

describe('NodeGraph', () => {
  const secrets = (graph: NodeGraph, node: string, ...names: string[]) => names.filter(name => graph.leadsTo(node, 'secret', 'ns1', name))

  it('tracks objects that pods of several nodes refer to', () => {
    const graph = new NodeGraph()
    const all = ['node1-only', 'node1-node2-only', 'shared-all']
    for (const i of [1, 2, 3]) put(graph, podOf(`pod${i}`, 'ns1', { nodeName: `node${i}`, volumes: all.slice(i - 1).map(secretVolume) }))
    expect([1, 2, 3].map(i => secrets(graph, `node${i}`, ...all))).to.deep.equal([all, all.slice(1), all.slice(2)])
    put(graph, podOf('pod3', 'ns1', { nodeName: 'node3', volumes: [] }))
    expect(secrets(graph, 'node3', ...all)).to.deep.equal([])
    expect(secrets(graph, 'node2', ...all)).to.deep.equal(all.slice(1))
  })

  it('adds references of new containers', () => {
    const graph = new NodeGraph()
    const spec = { nodeName: 'n', volumes: [secretVolume('s')] }
    expect(put(graph, podOf('p', 'ns1', spec))).to.equal(true)
    expect(put(graph, podOf('p', 'ns1', spec, { phase: 'Running' }))).to.equal(false)
    const ephemeralContainers = [{ name: 'e', envFrom: [{ secretRef: { name: 'new' } }, { configMapRef: { name: 'map' } }] }]
    expect(put(graph, podOf('p', 'ns1', { ...spec, ephemeralContainers }))).to.equal(true)
    expect([graph.leadsTo('n', 'secret', 'ns1', 'new'), graph.leadsTo('n', 'configmap', 'ns1', 'map')]).to.deep.equal([true, true])
  })

  it('ignores mirror pods, and removes pods that move or are deleted', () => {
    const graph = new NodeGraph()
    const pod = podOf('p', 'ns1', { nodeName: 'n', volumes: [secretVolume('s')] })
    const mirror = { ...pod, metadata: { ...pod.metadata, name: 'm', annotations: { 'kubernetes.io/config.mirror': '' } } }
    put(graph, mirror)
    expect([graph.leadsTo('n', 'pod', 'ns1', 'm'), graph.leadsTo('n', 'secret', 'ns1', 's')]).to.deep.equal([true, false])
    put(graph, pod)
    put(graph, { ...pod, spec: { ...pod.spec, nodeName: 'other' } })
    expect([graph.leadsTo('n', 'secret', 'ns1', 's'), graph.leadsTo('other', 'secret', 'ns1', 's')]).to.deep.equal([false, true])
    expect([graph.removePod('ns1', 'p'), graph.removePod('ns1', 'p')]).to.deep.equal([true, false])
    expect(graph.leadsTo('other', 'secret', 'ns1', 's')).to.equal(false)
  })

  it('follows claims to volumes and their secrets, whichever side is smaller', () => {
    const graph = new NodeGraph()
    const claims = (...names: string[]) => ({
      nodeName: 'n',
      volumes: names.map(name => ({ name, persistentVolumeClaim: { claimName: name } })),
    })
    put(graph, podOf('p', 'ns1', claims('c1', 'c2', 'c3')))
    graph.putVolume('v1', { namespace: 'ns1', name: 'c1' }, ['system/key'])
    const leads = () => [graph.leadsTo('n', 'pv', '', 'v1'), graph.leadsTo('n', 'secret', 'system', 'key')]
    expect(leads()).to.deep.equal([true, true])
    for (let i = 0; i < 10; i++) graph.putVolume(`other${i}`, { namespace: 'ns1', name: `x${i}` }, ['system/key'])
    expect(leads()).to.deep.equal([true, true])
    graph.putVolume('v1', undefined, ['system/key'])
    expect(leads()).to.deep.equal([false, false])
    graph.putVolume('v1', { namespace: 'ns1', name: 'c1' }, ['system/key'])
    put(graph, podOf('p', 'ns1', claims('c2')))
    expect(leads()).to.deep.equal([false, false])
  })
})
