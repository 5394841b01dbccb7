import { expect } from 'chai'
import { totalScores } from '../../../../src/cluster/scheduler/choose-node.ts'
import { type ArgumentFeatures, validateArguments } from '../../../../src/cluster/scheduler/configuration/argument-validation.ts'
import { SchedulerConfigError, schedulerSettings } from '../../../../src/cluster/scheduler/configuration/settings.ts'
import type { Profile } from '../../../../src/cluster/scheduler/profile.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { featuresIn, featuresOf } from '../../../support/hook-context.ts'
import { infoOf, nodeOf, snapshotOf } from '../../../support/scheduling.ts'

const FEATURES = featuresOf()

/** Settings of a configuration without its version and kind. */
const settingsOf = (yaml: string) =>
  schedulerSettings(Buffer.from(`apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n${yaml}`), FEATURES)
const profileOf = (yaml: string, name = 'default-scheduler'): Profile =>
  settingsOf(yaml).profiles.get(name) ?? expect.fail(`no profile ${name}`)

function errorOf(yaml: string): string {
  try {
    settingsOf(yaml)
  } catch (error) {
    if (error instanceof SchedulerConfigError) return error.message.replace('--scheduler-config: ', '')
    throw error
  }
  return 'none'
}
const filters = ({ plugins }: Profile): string[] => plugins.flatMap(({ plugin }) => (plugin.preFilter ? [plugin.name] : []))
const weights = ({ plugins }: Profile): Record<string, number> =>
  Object.fromEntries(plugins.flatMap(({ plugin, weight }) => (weight > 0 && plugin.preScore ? [[plugin.name, weight]] : [])))
const scoresOf = (profile: Profile) => {
  const snapshot = snapshotOf([nodeOf('empty'), nodeOf('full')], [{ name: 'p', nodeName: 'full', requests: { cpu: '2', memory: '4Gi' } }])
  const candidates = { nodes: snapshot.nodes, positions: [0, 1] }
  const pod = infoOf({ requests: { cpu: '1', memory: '2Gi' } })
  const [empty = 0, full = 0] = runAtOnce(totalScores(pod, snapshot, profile, candidates))
  return Math.sign(empty - full)
}

describe('the configuration of the scheduler', () => {
  it('has the default plugins, weights and back-off without a file', () => {
    const { profiles, backOff } = schedulerSettings(undefined, FEATURES)
    const profile = profiles.get('default-scheduler')
    expect(profile && weights(profile)).to.include({
      TaintToleration: 3,
      NodeAffinity: 2,
      NodeResourcesFit: 1,
      PodTopologySpread: 2,
      InterPodAffinity: 2,
      ImageLocality: 1,
    })
    expect([profile?.preemption, profile?.percentageOfNodesToScore, backOff]).to.deep.equal([
      {},
      0,
      { firstMs: 1000, longestMs: 10_000, endsEarly: true },
    ])
  })

  it('has a profile for each scheduler name, with its own or the general percentage', () => {
    const { profiles, backOff } = settingsOf(`
percentageOfNodesToScore: 30
podInitialBackoffSeconds: 2
podMaxBackoffSeconds: 5
profiles:
- schedulerName: a
- schedulerName: b
  percentageOfNodesToScore: 70
`)
    expect([...profiles.values()].map(profile => [profile.schedulerName, profile.percentageOfNodesToScore])).to.deep.equal([
      ['a', 30],
      ['b', 70],
    ])
    expect(backOff).to.deep.equal({ firstMs: 2000, longestMs: 5000, endsEarly: true })
  })

  it('disables plugins everywhere or at one point, and sets weights', () => {
    const profile = profileOf(`
profiles:
- plugins:
    multiPoint: {disabled: [{name: NodePorts}], enabled: [{name: ImageLocality, weight: 9}]}
    score: {disabled: [{name: InterPodAffinity}], enabled: [{name: NodeAffinity, weight: 7}]}
    filter: {disabled: [{name: TaintToleration}]}
`)
    expect(filters(profile))
      .to.include.members(['NodeAffinity', 'InterPodAffinity'])
      .and.to.not.include.members(['NodePorts'])
      .and.to.not.include.members(['TaintToleration'])
    expect(weights(profile))
      .to.deep.include({ ImageLocality: 9, NodeAffinity: 7, TaintToleration: 3 })
      .and.to.not.have.property('InterPodAffinity')
  })

  it('calls the filters that are enabled at the point first, and only them if all others are disabled', () => {
    const first = profileOf('profiles: [{plugins: {filter: {enabled: [{name: NodePorts}, {name: NodeName}]}}}]')
    expect(filters(first).slice(0, 3)).to.deep.equal(['NodePorts', 'NodeName', 'NodeUnschedulable'])
    const only = profileOf(
      "profiles: [{plugins: {filter: {disabled: [{name: '*'}], enabled: [{name: NodeName}]}, score: {disabled: [{name: '*'}]}, postFilter: {disabled: [{name: '*'}]}}}]",
    )
    expect([filters(only), weights(only), only.preemption]).to.deep.equal([['NodeName'], {}, undefined])
  })

  it('passes arguments to plugins', () => {
    const strategy = (type: string, rest = ''): Profile =>
      profileOf(`profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: ${type}${rest}}}}]}]`)
    const ratio = ', requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}'
    expect([
      scoresOf(strategy('LeastAllocated')),
      scoresOf(strategy('MostAllocated')),
      scoresOf(strategy('RequestedToCapacityRatio', ratio)),
    ]).to.deep.equal([1, -1, -1])
    expect(
      profileOf('profiles: [{pluginConfig: [{name: DefaultPreemption, args: {minCandidateNodesAbsolute: 7}}]}]').preemption,
    ).to.deep.include({
      minCandidateNodesAbsolute: 7,
    })
  })

  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'a percentage above 100': ['percentageOfNodesToScore: 101', 'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]'],
    'a back-off of zero': ['podInitialBackoffSeconds: 0', 'podInitialBackoffSeconds: Invalid value: 0: must be greater than 0'],
    'a longest back-off below the first': [
      'podInitialBackoffSeconds: 5\npodMaxBackoffSeconds: 4',
      'podMaxBackoffSeconds: Invalid value: 4: must be greater than or equal to PodInitialBackoffSeconds',
    ],
    'no parallelism': ['parallelism: 0', 'parallelism: Invalid value: 0: should be an integer value greater than zero'],
    'another lock than leases': [
      'leaderElection: {resourceLock: configmaps}',
      'leaderElection.resourceLock: Invalid value: "configmaps": resourceLock value must be "leases"',
    ],
    'two profiles of one name': [
      'profiles: [{schedulerName: a}, {schedulerName: a}]',
      'profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"',
    ],
    'one of several profiles without a name': ['profiles: [{schedulerName: a}, {}]', 'profiles[1].schedulerName: Required value'],
    'an extender without a URL': [
      'extenders: [{filterVerb: filter}]',
      'extenders[0].urlPrefix: Invalid value: "": must be a URL of http or https',
    ],
    'an extender that scores without a weight': [
      'extenders: [{urlPrefix: "http://a", prioritizeVerb: p}]',
      'extenders[0].weight: Invalid value: 0: must have a positive weight applied to it',
    ],
    'two extenders that bind': [
      'extenders: [{urlPrefix: "http://a", bindVerb: b}, {urlPrefix: "http://b", bindVerb: b}]',
      'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind',
    ],
    'files of an extender': [
      'extenders: [{urlPrefix: "https://a", tlsConfig: {caFile: /ca}}]',
      'extenders[0].tlsConfig.caFile: Forbidden: use caData: files are not read',
    ],
    'a timeout that is none': [
      'extenders: [{urlPrefix: "http://a", httpTimeout: soon}]',
      'extenders[0].httpTimeout: Invalid value: "soon": time: invalid duration "soon"',
    ],
    'a timeout below zero': [
      'extenders: [{urlPrefix: "http://a", httpTimeout: -5s}]',
      'extenders[0].httpTimeout: Invalid value: "-5s": must be greater than or equal to 0',
    ],
    'a certificate of an extender that is none': [
      'extenders: [{urlPrefix: "https://a", tlsConfig: {certData: "Z2FyYmFnZQ=="}}]',
      'extenders[0].tlsConfig: Invalid value: "<omitted>": must be certificates and the key of certData, as PEM in base64',
    ],
    'an unknown plugin': [
      'profiles: [{plugins: {filter: {enabled: [{name: Mine}]}}}]',
      'profiles[0].plugins.filter.enabled[0]: Not found: "Mine": there is no plugin of this name',
    ],
    'a plugin that was removed': [
      'profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}]}}}]',
      'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
    ],
    'a plugin that is not built': [
      'profiles: [{pluginConfig: [{name: GangScheduling, args: {}}]}]',
      'profiles[0].pluginConfig[0]: Forbidden: the plugin GangScheduling is not built into this program',
    ],
    'a plugin of a later release': [
      'profiles: [{plugins: {filter: {disabled: [], enabled: [{name: NodeDeclaredFeatures}]}}}]',
      'profiles[0].plugins.filter.enabled[0]: Not found: "NodeDeclaredFeatures": there is no plugin of this name',
    ],
    'arguments of the plugin for devices': [
      'profiles: [{pluginConfig: [{name: DynamicResources, args: {}}]}]',
      'profiles[0].pluginConfig[0].args: Invalid value: {}: the plugin DynamicResources has no arguments',
    ],
    'arguments given twice': [
      'profiles: [{pluginConfig: [{name: NodeAffinity}, {name: NodeAffinity}]}]',
      'profiles[0].pluginConfig[1]: Duplicate value: "NodeAffinity"',
    ],
    'no plugin that sorts the queue': [
      "profiles: [{plugins: {queueSort: {disabled: [{name: '*'}]}}}]",
      'profiles[0].plugins.queueSort: Required value: one queue sort plugin required for profile with scheduler name "default-scheduler"',
    ],
    'an unknown field': ['podInitialBackoff: 1', 'strict decoding error: unknown field "podInitialBackoff"'],
    'an unknown argument': [
      'profiles: [{pluginConfig: [{name: NodeAffinity, args: {added: {}}}]}]',
      'strict decoding error: unknown field "added"',
    ],
    'invalid arguments': [
      'profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}]}]',
      'profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]',
    ],
  }
  for (const [what, [yaml, message]] of Object.entries(cases)) it(`rejects ${what}`, () => expect(errorOf(yaml)).to.equal(message))
})

describe('arguments of plugins', () => {
  const errors = (name: string, args: object, features: ArgumentFeatures = FEATURES): string[] =>
    validateArguments(name, args, features).map(({ field, body }) => `${field}: ${body}`)

  it('name a strategy of NodeResourcesFit with all that it needs', () => {
    const strategy = (scoringStrategy: object): string[] => errors('NodeResourcesFit', { scoringStrategy })
    expect(strategy({ type: 'Most' })).to.deep.equal([
      'args.scoringStrategy.type: Unsupported value: "Most": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
    ])
    expect(strategy({ type: 'MostAllocated', resources: [{ name: 'cpu', weight: -1 }] })[0]).to.contain(
      'resource weight of cpu not in valid range (0, 100]',
    )
    expect(strategy({ type: 'RequestedToCapacityRatio' })[0]).to.contain('must be specified when type is RequestedToCapacityRatio')
    expect(strategy({ type: 'LeastAllocated', requestedToCapacityRatio: {} })[0]).to.contain('Forbidden: must be nil when type is not')
    const shape = [
      { utilization: 50, score: 11 },
      { utilization: 40, score: 1 },
    ]
    expect(strategy({ type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } })).to.deep.equal([
      'args.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 40: values must be sorted in increasing order',
      'args.scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: 11: not in valid range [0, 10]',
    ])
    expect(errors('NodeResourcesFit', { ignoredResourceGroups: ['a/b'] })[0]).to.contain("resource group name can't contain '/'")
  })

  it('have constraints of PodTopologySpread without selectors, and only by List', () => {
    const constraint = { maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Never', labelSelector: {} }
    expect(errors('PodTopologySpread', { defaultingType: 'List', defaultConstraints: [constraint] })).to.have.length(4)
    expect(
      errors('PodTopologySpread', { defaultConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] }),
    ).to.deep.equal(['args.defaultingType: Invalid value: "System": when .defaultConstraints are not empty'])
    expect(errors('PodTopologySpread', { defaultingType: 'Other' })[0]).to.contain('supported values: "System", "List"')
  })

  it('have timeouts of DynamicResources whose gates are on', () => {
    const timeouts = (args: object, features = featuresIn('1.36')): string[] => errors('DynamicResources', args, features)
    expect(timeouts({ filterTimeout: '0s', bindingTimeout: '1s' })).to.deep.equal([])
    expect(timeouts({ filterTimeout: '-1s', bindingTimeout: '999ms' })).to.deep.equal([
      'args.filterTimeout: Invalid value: "-1s": must be zero or positive',
      'args.bindingTimeout: Invalid value: "999ms": must be at least 1 second',
    ])
    expect(timeouts({ filterTimeout: 'soon' })[0]).to.contain('args.filterTimeout: Invalid value: "soon"')
    expect(timeouts({ bindingTimeout: '1m' }, featuresIn('1.34'))).to.deep.equal([
      'args.bindingTimeout: Forbidden: DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled',
    ])
    expect(timeouts({ filterTimeout: '1s' }, featuresIn('1.34', { DRASchedulerFilterTimeout: false }))).to.deep.equal([
      'args.filterTimeout: Forbidden: DRASchedulingFilterTimeout feature gate is disabled',
    ])
  })

  it('are in the ranges of the other plugins', () => {
    expect(errors('DefaultPreemption', { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 })).to.have.length(2)
    expect(errors('DefaultPreemption', { minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1 })).to.have.length(2)
    expect(errors('NodeResourcesBalancedAllocation', { resources: [{ name: 'cpu', weight: 2 }, { name: 'cpu' }] })).to.have.length(2)
    const term = { matchExpressions: [{ key: 'a', operator: 'Is' }] }
    expect(
      errors('NodeAffinity', { addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } })[0],
    ).to.contain('"Is" is not a valid node selector operator')
    expect(errors('VolumeBinding', { bindTimeoutSeconds: -1, shape: [] })).to.have.length(2)
  })
})
