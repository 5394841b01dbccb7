import { expect } from 'chai'
import type { ResourceDefinition } from '../../../../src/catalog/definition.ts'
import { jobResource } from '../../../../src/resources/batch/job/definition.ts'
import { nodeResource } from '../../../../src/resources/core/node/definition.ts'
import { persistentVolumeResource } from '../../../../src/resources/core/persistent-volume/definition.ts'
import { persistentVolumeClaimResource } from '../../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../../src/resources/core/pod/definition.ts'
import { resourceQuotaResource } from '../../../../src/resources/core/resource-quota/definition.ts'
import { csiDriverResource } from '../../../../src/resources/storage/csi-driver/definition.ts'
import { job, template } from '../../../support/jobs.ts'
import { KindCases } from '../../../support/kind-cases.ts'
import { causesOf } from '../../../support/workloads.ts'

const quota = (scopes: string[]): object => ({ spec: { hard: { pods: '1' }, scopes } })
const selecting = { spec: { hard: { cpu: '1' }, scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'Exists' }] } } }
const pod = (securityContext: object): object => ({ spec: { containers: [{ name: 'c', image: 'i', securityContext }] } })
const volume = (spec: object): object => ({
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' }, ...spec },
})
const claim = (storageClassName: string): object => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } }, storageClassName },
})
const from = (name: string): object => ({ kind: 'PersistentVolumeClaim', name })
const terms = (value: string): object => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'In', values: [value] }] }] },
})

describe('Go values in error messages', () => {
  const creations: [string, ResourceDefinition, object, string][] = [
    [
      'conflicting scopes',
      resourceQuotaResource,
      quota(['BestEffort', 'NotBestEffort']),
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort", "NotBestEffort"}: conflicting scopes',
    ],
    [
      'a scope selector',
      resourceQuotaResource,
      selecting,
      'spec.scopeSelector.matchExpressions: Invalid value: core.ScopeSelector{MatchExpressions:[]core.ScopedResourceSelectorRequirement{core.ScopedResourceSelectorRequirement{ScopeName:"BestEffort", Operator:"Exists", Values:[]string(nil)}}}: unsupported scope applied to resource',
    ],
    [
      'a seccomp profile',
      podResource,
      pod({ seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'x' } }),
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: core.SeccompProfile{Type:"RuntimeDefault", LocalhostProfile:(*string)(0xc000000000)}: can only be set when seccomp type is Localhost',
    ],
    [
      'capacity',
      persistentVolumeResource,
      volume({ capacity: { storage: '1Gi', cpu: '1' } }),
      'spec.capacity: Unsupported value: core.ResourceList{"cpu":resource.Quantity{i:resource.int64Amount{value:1, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1", Format:"DecimalSI"}, "storage":resource.Quantity{i:resource.int64Amount{value:1073741824, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1Gi", Format:"BinarySI"}}: supported values: "storage"',
    ],
    [
      'sources that differ',
      persistentVolumeClaimResource,
      {
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          dataSource: from('a'),
          dataSourceRef: from('b'),
        },
      },
      'spec: Invalid value: field.Path{name:"dataSource", index:"", parent:(*field.Path)(0xc000000000)}: must match dataSourceRef',
    ],
    [
      'a policy of success',
      jobResource,
      job({ successPolicy: { rules: [{ succeededIndexes: '1' }] } }),
      'spec.successPolicy: Invalid value: batch.SuccessPolicy{Rules:[]batch.SuccessPolicyRule{batch.SuccessPolicyRule{SucceededIndexes:(*string)(0xc000000000), SucceededCount:(*int32)(nil)}}}: requires indexed completion mode',
    ],
  ]
  for (const [what, definition, body, text] of creations) {
    it(what, async () => expect(await causesOf(new KindCases(definition).create(body))).to.include(text))
  }

  const updates: [string, ResourceDefinition, object, object, string | RegExp][] = [
    [
      'fixed scopes',
      resourceQuotaResource,
      quota(['BestEffort']),
      { spec: { hard: { pods: '1' } } },
      'spec.scopes: Invalid value: []core.ResourceQuotaScope(nil): field is immutable',
    ],
    [
      'fixed modes of a driver',
      csiDriverResource,
      { spec: { volumeLifecycleModes: ['Persistent'] } },
      { spec: { volumeLifecycleModes: ['Ephemeral'] } },
      'spec.volumeLifecycleModes: Invalid value: []storage.VolumeLifecycleMode{"Ephemeral"}: field is immutable',
    ],
    [
      'the template of a job',
      jobResource,
      job(),
      job({ template: template({ nodeName: 'n' }) }),
      /^spec\.template: Invalid value: core\.PodTemplateSpec\{ObjectMeta:v1\.ObjectMeta\{Name:"", .*, Spec:core\.PodSpec\{Volumes:\[\]core\.Volume\(nil\), .*NodeName:"n", .*\}\}: field is immutable$/,
    ],
    [
      'where a volume is',
      persistentVolumeResource,
      volume({ nodeAffinity: terms('a') }),
      volume({ nodeAffinity: terms('b') }),
      'nodeAffinity: Invalid value: core.VolumeNodeAffinity{Required:(*core.NodeSelector)(0xc000000000)}: field is immutable, except for updating from beta label to GA',
    ],
    [
      'the source of a volume',
      persistentVolumeResource,
      volume({}),
      volume({ hostPath: { path: '/b' } }),
      /^spec\.persistentvolumesource: Forbidden: spec\.persistentvolumesource is immutable after creation\n {2}core\.PersistentVolumeSource\{\n.*\n- \t\tPath: "\/a",\n\+ \t\tPath: "\/b",\n/s,
    ],
    [
      'the spec of a claim',
      persistentVolumeClaimResource,
      claim('a'),
      claim('b'),
      /for bound claims\n {2}core\.PersistentVolumeClaimSpec\{\n.*\n- \tStorageClassName: +&"a",\n\+ \tStorageClassName: +&"b",\n/s,
    ],
  ]
  for (const [what, definition, before, after, text] of updates) {
    it(what, async () => {
      const cases = new KindCases(definition)
      await cases.create(before)
      const told = await causesOf(cases.update(after))
      if (typeof text === 'string') expect(told).to.include(text)
      else
        expect(
          told.filter(cause => text.test(cause)),
          told.join('\n'),
        ).to.have.length.greaterThan(0)
    })
  }

  it('a duplicate node address', async () => {
    const cases = new KindCases(nodeResource)
    await cases.create({})
    const addresses = [
      { type: 'Hostname', address: 'a' },
      { type: 'Hostname', address: 'a' },
    ]
    expect(await causesOf(cases.update({ status: { addresses } }, {}, 'status'))).to.deep.equal([
      'status.addresses[1]: Duplicate value: core.NodeAddress{Type:"Hostname", Address:"a"}',
    ])
  })
})
