import { expect } from 'chai'
import { type GateName, gatesOf } from '../../../src/lifecycle/feature-gates.ts'
import { LifecycleError, parseGates } from '../../../src/lifecycle/gates.ts'
import { RELEASES, type Release } from '../../../src/lifecycle/release.ts'

const given = (text: string): Map<string, boolean> =>
  new Map(text.split(',').map(entry => [entry.split('=')[0] ?? '', entry.endsWith('=true')]))

describe('feature gates', () => {
  const accepted: [text: string, gate: GateName, value: boolean][] = [
    ['CBORServingAndStorage=true', 'CBORServingAndStorage', true],
    ['CBORServingAndStorage=false', 'CBORServingAndStorage', false],
    ['APIResponseCompression=false', 'APIResponseCompression', false],
    ['WatchList=true', 'WatchList', true],
    ['WatchList=false', 'WatchList', false],
    ['ConsistentListFromCache=false', 'ConsistentListFromCache', false],
    ['ListFromCacheSnapshot=false', 'ListFromCacheSnapshot', false],
    ['RetryGenerateName=true', 'RetryGenerateName', true],
    ['EventedPLEG=true', 'EventedPLEG', true],
    ['AllAlpha=false', 'CBORServingAndStorage', false],
    ['AllAlpha=false,CBORServingAndStorage=true', 'CBORServingAndStorage', true],
  ]
  for (const [text, gate, value] of accepted)
    it(`${text}: ${gate} is ${value}`, () => {
      expect(parseGates('1.33', given(text)).enabled(gate)).to.equal(value)
    })

  const refused: [text: string, message: string][] = [
    ['Nonsense=true', 'unrecognized feature gate: Nonsense'],
    ['toString=true', 'unrecognized feature gate: toString'],
    ['RetryGenerateName=false', 'cannot set feature gate RetryGenerateName to false, feature is locked to true'],
    [
      'WatchFromStorageWithoutResourceVersion=true',
      'cannot set feature gate WatchFromStorageWithoutResourceVersion to true, feature is locked to false',
    ],
    ['OpenAPIEnums=false', 'OpenAPIEnums=false is not implemented, and ignoring it would change what the server does'],
    [
      'AllAlpha=true',
      'PodLogsQuerySplitStreams=true (by AllAlpha=true) is not implemented, and ignoring it would change what the server does',
    ],
    ['AllBeta=false', 'OpenAPIEnums=false (by AllBeta=false) is not implemented, and ignoring it would change what the server does'],
  ]
  for (const [text, message] of refused)
    it(`rejects ${text}`, () => {
      expect(() => parseGates('1.33', given(text)))
        .to.throw(LifecycleError)
        .with.property('message', message)
    })

  it('has the defaults of 1.33, except for two gates that are on earlier', () => {
    const gates = parseGates('1.33')
    for (const on of ['APIResponseCompression', 'WatchList', 'ListFromCacheSnapshot', 'StorageVersionHash'] as const)
      expect(gates.enabled(on), on).to.equal(true)
    for (const off of ['CBORServingAndStorage', 'DynamicResourceAllocation', 'MutatingAdmissionPolicy'] as const)
      expect(gates.enabled(off), off).to.equal(false)
  })

  it('has every alpha gate off, and every locked gate in the state of its stage', () => {
    for (const [name, gate] of Object.entries(gatesOf('1.33'))) {
      if (gate.stage === 'Alpha') expect(gate.preset, name).to.equal(false)
      if (gate.locked) expect(gate.preset, name).to.equal(gate.stage === 'GA')
    }
  })

  it('treats a name that no release has as a bug', () => {
    expect(() => parseGates('1.33').enabled('Nonsense' as 'WatchList')).to.throw('there is no feature gate Nonsense')
  })

  it('has the gates of each release', () => {
    expect(parseGates('1.31').enabled('PodLevelResources')).to.equal(false)
    expect(() => parseGates('1.31', given('PodLevelResources=true'))).to.throw('unrecognized feature gate: PodLevelResources')
    expect(parseGates('1.34').enabled('PodObservedGenerationTracking')).to.equal(true)
    // Locked to true, then removed.
    expect(parseGates('1.32').enabled('WatchBookmark')).to.equal(true)
    expect(parseGates('1.33').enabled('WatchBookmark')).to.equal(true)
    expect(() => parseGates('1.33', given('WatchBookmark=true'))).to.throw('unrecognized feature gate: WatchBookmark')
    expect(parseGates('1.32', given('MultiCIDRServiceAllocator=true')).enabled('MultiCIDRServiceAllocator')).to.equal(true)
  })

  it('warns of gates that will be removed', () => {
    expect(parseGates('1.33', given('JobSuccessPolicy=true,KMSv1=true,WatchList=true')).warnings).to.deep.equal([
      'Setting GA feature gate JobSuccessPolicy=true. It will be removed in a future release.',
      'Setting deprecated feature gate KMSv1=true. It will be removed in a future release.',
    ])
  })

  const unmet: [text: string, message: string][] = [
    [
      'DynamicResourceAllocation=true,ClusterTrustBundleProjection=true',
      'ClusterTrustBundleProjection is enabled, but depends on features that are disabled: [ClusterTrustBundle]',
    ],
    [
      'ContainerRestartRules=false,RestartAllContainersOnContainerExits=true',
      'RestartAllContainersOnContainerExits is enabled, but depends on features that are disabled: [ContainerRestartRules NodeDeclaredFeatures]',
    ],
    [
      'APIServerIdentity=false,StorageVersionAPI=true,UnknownVersionInteroperabilityProxy=true',
      '[StorageVersionAPI is enabled, but depends on features that are disabled: [APIServerIdentity], UnknownVersionInteroperabilityProxy is enabled, but depends on features that are disabled: [APIServerIdentity]]',
    ],
  ]
  for (const [text, message] of unmet)
    it(`rejects ${text} since 1.35`, () => {
      expect(() => parseGates('1.35', given(text)))
        .to.throw(LifecycleError)
        .with.property('message', message)
      expect(() => parseGates('1.34', given('ClusterTrustBundleProjection=true'))).not.to.throw()
    })

  it('rejects gates without a gate that they need since a later release only there', () => {
    const set = given('EventedPLEG=true,PLEGOnDemandRelist=false')
    expect(() => parseGates('1.36', set)).not.to.throw()
    // Locked by then.
    expect(() => parseGates('1.37', set)).to.throw('cannot set feature gate PLEGOnDemandRelist to false, feature is locked to true')
    expect(() => parseGates('1.37', given('EventedPLEG=true'))).not.to.throw()
  })

  it('keeps the last value of a gate that the release no longer has', () => {
    const isOn = (release: Release) => parseGates(release).enabled('HonorPVReclaimPolicy')
    expect((['1.30', '1.31', '1.35', '1.36', '1.38'] as const).map(isOn)).to.deep.equal([false, true, true, true, true])
  })
  it('turns DRAFractionalCapacityRange on if all servers are 1.37', () => {
    expect(parseGates('1.37').enabled('DRAFractionalCapacityRange')).to.equal(false)
    expect(parseGates('1.37', new Map(), '1.37').enabled('DRAFractionalCapacityRange')).to.equal(true)
    expect(parseGates('1.37', given('DRAFractionalCapacityRange=false'), '1.37').enabled('DRAFractionalCapacityRange')).to.equal(false)
  })

  it('has the dependencies of gates that are on by default', () => {
    for (const release of RELEASES) expect(() => parseGates(release), release).not.to.throw()
  })

  it('has only implemented defaults in each release, except for the gates that docs/releases.md lists', () => {
    for (const release of RELEASES) {
      const other = Object.entries(gatesOf(release)).filter(([, { effect, preset, built }]) => effect === 'fixed' && preset !== built)
      expect(
        other.map(([name]) => name),
        release,
      ).to.deep.equal(OTHERWISE[release] ?? [])
    }
  })
})

/** Gates whose default in a release differs from the server's state, sorted by name. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  '1.24': ['ReadWriteOncePod', 'ServiceIPStaticSubrange'],
  '1.25': ['PodDisruptionConditions', 'ReadWriteOncePod'],
  '1.26': ['ComponentSLIs', 'LegacyServiceAccountTokenTracking', 'ReadWriteOncePod'],
  '1.27': ['MultiCIDRServiceAllocator', 'ServiceNodePortStaticSubrange'],
  '1.28': ['LegacyServiceAccountTokenCleanUp', 'MultiCIDRServiceAllocator', 'SkipReadOnlyValidationGCE'],
  '1.29': ['MultiCIDRServiceAllocator'],
  '1.30': ['MultiCIDRServiceAllocator', 'StrictCostEnforcementForVAP', 'StrictCostEnforcementForWebhooks'],
  '1.31': ['MultiCIDRServiceAllocator', 'StrictCostEnforcementForVAP', 'StrictCostEnforcementForWebhooks'],
  '1.32': ['MultiCIDRServiceAllocator'],
  '1.36': ['ExtendWebSocketsToKubelet'],
  '1.37': ['ExtendWebSocketsToKubelet'],
  '1.38': ['ExtendWebSocketsToKubelet'],
}
