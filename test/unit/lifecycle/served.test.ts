import { expect } from 'chai'
import { LifecycleError, parseGates } from '../../../src/lifecycle/gates.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { checkRuntimeConfig, type LaterVersions, servedKinds } from '../../../src/lifecycle/served.ts'

const config = (text: string): Map<string, boolean> =>
  new Map(
    text
      .split(' ')
      .filter(entry => entry !== '')
      .map(entry => [entry.split('=')[0] ?? '', entry.endsWith('=true')]),
  )

const KINDS = [
  ['', 'v1', 'Pod', 'pods'],
  ['networking.k8s.io', 'v1', 'ServiceCIDR', 'servicecidrs'],
  ['networking.k8s.io', 'v1beta1', 'ServiceCIDR', 'servicecidrs'],
  ['networking.k8s.io', 'v1beta1', 'IPAddress', 'ipaddresses'],
  ['storage.k8s.io', 'v1alpha1', 'VolumeAttributesClass', 'volumeattributesclasses'],
  ['certificates.k8s.io', 'v1beta1', 'ClusterTrustBundle', 'clustertrustbundles'],
  ['authentication.k8s.io', 'v1beta1', 'SelfSubjectReview', 'selfsubjectreviews'],
] as const

function served(text: string, gates = '', release: Release = '1.33'): string[] {
  const isServed = servedKinds(release, parseGates('1.33', config(gates)), config(text))
  return KINDS.filter(([group, version, kind, resource]) => isServed({ group, version, kind, resource })).map(
    ([group, version, , resource]) => `${group.split('.')[0]}/${version}/${resource}`,
  )
}

describe('served kinds', () => {
  const GA = ['/v1/pods', 'networking/v1/servicecidrs']
  const NETWORKING = ['networking/v1beta1/servicecidrs', 'networking/v1beta1/ipaddresses']
  const cases: [config: string, gates: string, expected: string[]][] = [
    ['', '', GA],
    ['api/beta=true', '', [...GA, ...NETWORKING]],
    ['api/alpha=true', '', [...GA, 'storage/v1alpha1/volumeattributesclasses']],
    ['api/all=true', '', [...GA, ...NETWORKING, 'storage/v1alpha1/volumeattributesclasses']],
    ['api/all=true api/beta=false', '', [...GA, 'storage/v1alpha1/volumeattributesclasses']],
    ['api/ga=false networking.k8s.io/v1=true', '', ['networking/v1/servicecidrs']],
    ['/v1=false', '', ['networking/v1/servicecidrs']],
    ['networking.k8s.io/v1beta1=true', '', [...GA, ...NETWORKING]],
    ['networking.k8s.io/v1beta1/ipaddresses=true', '', [...GA, 'networking/v1beta1/ipaddresses']],
    [
      'api/beta=true networking.k8s.io/v1beta1=false networking.k8s.io/v1beta1/ipaddresses=true',
      '',
      [...GA, 'networking/v1beta1/ipaddresses'],
    ],
    ['networking.k8s.io/v1/servicecidrs=false', '', ['/v1/pods']],
    ['certificates.k8s.io/v1beta1=true', '', GA],
    ['certificates.k8s.io/v1beta1=true', 'ClusterTrustBundle=true', [...GA, 'certificates/v1beta1/clustertrustbundles']],
    ['', 'ClusterTrustBundle=true', GA],
    ['authentication.k8s.io/v1beta1=true', '', GA],
  ]
  for (const [text, gates, expected] of cases)
    it(`--runtime-config=${text} --feature-gates=${gates}`, () => expect(served(text, gates)).to.deep.equal(expected))

  it('are those of the release', () => {
    expect(served('api/beta=true', '', '1.32')).to.deep.equal(['/v1/pods', ...NETWORKING, 'authentication/v1beta1/selfsubjectreviews'])
  })

  it('include beta versions from before 1.24 by default, and those that two consecutive releases have in common', () => {
    const betas = [
      ['batch', 'v1beta1', 'CronJob', 'cronjobs', '1.24'],
      ['batch', 'v1beta1', 'CronJob', 'cronjobs', '1.25'],
      ['storage.k8s.io', 'v1beta1', 'CSIStorageCapacity', 'csistoragecapacities', '1.26'],
      ['flowcontrol.apiserver.k8s.io', 'v1beta3', 'FlowSchema', 'flowschemas', '1.28'],
      ['authentication.k8s.io', 'v1beta1', 'SelfSubjectReview', 'selfsubjectreviews', '1.28'],
    ] as const
    const servedWith = (text: string): boolean[] =>
      betas.map(([group, version, kind, resource, release]) =>
        servedKinds(release, parseGates(release), config(text))({ group, version, kind, resource }),
      )
    expect(servedWith('')).to.deep.equal([true, false, true, true, false])
    expect(servedWith('api/beta=false batch/v1beta1=true')).to.deep.equal([true, false, false, false, false])
  })

  it('include versions of later releases if enabled', () => {
    const v1 = { group: 'resource.k8s.io', version: 'v1', kind: 'DeviceClass', resource: 'deviceclasses' }
    const beta = { ...v1, version: 'v1beta2' }
    const serves = (text: string, later: LaterVersions): boolean[] =>
      [v1, beta].map(servedKinds('1.33', parseGates('1.33'), config(text), later))
    expect(serves('', { bySuccession: true, byName: true })).to.deep.equal([false, false])
    expect(serves('resource.k8s.io/v1beta2=true', {})).to.deep.equal([false, true])
    expect(serves('resource.k8s.io/v1beta2=true', { bySuccession: true })).to.deep.equal([true, true])
    expect(serves('resource.k8s.io/v1beta2=true resource.k8s.io/v1=false', { bySuccession: true })).to.deep.equal([false, true])
    expect(serves('resource.k8s.io/v1=true', { bySuccession: true })).to.deep.equal([false, false])
    expect(serves('resource.k8s.io/v1/deviceclasses=true', { byName: true })).to.deep.equal([true, false])
  })

  const refused: [config: string, message: string][] = [
    ['api/all=false', 'invalid key with only api/all=false'],
    ['v1=false', 'runtime-config invalid key v1'],
    ['a/b/c/d=true', 'runtime-config invalid key a/b/c/d'],
    ['example.io/v1=true other.io/v1=true', 'unknown api groups example.io,other.io'],
    ['apps/v9=true', 'group version apps/v9 that has not been registered'],
    [
      'apps/v1/Deployments=false',
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
  ]
  for (const [text, message] of refused)
    it(`rejects ${text}`, () => {
      expect(() => checkRuntimeConfig(config(text)))
        .to.throw(LifecycleError)
        .with.property('message', message)
    })

  for (const text of [
    'api/all=false apps/v1=true',
    'api/beta=true',
    'apps/v1=true',
    '/v1=true',
    'apps/v1beta1=true',
    'rbac.authorization.k8s.io/v1alpha1=true',
  ])
    it(`accepts ${text}`, () => checkRuntimeConfig(config(text)))
})
