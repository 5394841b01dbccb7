import { expect } from 'chai'
import { LIFECYCLES } from '../../../src/lifecycle/kinds.ts'
import { deprecationIn, existsIn, lifecycleOf } from '../../../src/lifecycle/lifecycle.ts'
import { compareReleases, type Release } from '../../../src/lifecycle/release.ts'
import { parseApiVersion, stabilityOf } from '../../../src/meta/gvk.ts'

describe('lifecycles of kinds', () => {
  const there: [Release, apiVersion: string, kind: string, boolean][] = [
    ['1.33', 'networking.k8s.io/v1', 'ServiceCIDR', true],
    ['1.32', 'networking.k8s.io/v1', 'ServiceCIDR', false],
    ['1.36', 'networking.k8s.io/v1beta1', 'ServiceCIDR', true],
    ['1.37', 'networking.k8s.io/v1beta1', 'ServiceCIDR', false],
    ['1.9', 'apps/v1', 'Deployment', true],
    ['1.15', 'apps/v1beta1', 'Deployment', true],
    ['1.16', 'apps/v1beta1', 'Deployment', false],
    ['1.33', 'authentication.k8s.io/v1beta1', 'SelfSubjectReview', false],
    ['1.33', 'example.io/v1', 'Widget', true],
    ['1.33', 'v1', 'constructor', true],
  ]
  for (const [release, apiVersion, kind, expected] of there)
    it(`${release} has ${expected ? '' : 'no '}${apiVersion} ${kind}`, () => expect(existsIn(release, apiVersion, kind)).to.equal(expected))

  const warnings: [Release, apiVersion: string, kind: string, warning: string | undefined, removed?: string][] = [
    ['1.33', 'v1', 'Endpoints', 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice', ''],
    ['1.32', 'v1', 'Endpoints', undefined],
    ['1.33', 'v1', 'ComponentStatus', 'v1 ComponentStatus is deprecated in v1.19+', ''],
    [
      '1.24',
      'policy/v1beta1',
      'PodDisruptionBudget',
      'policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; use policy/v1 PodDisruptionBudget',
      '1.25',
    ],
    [
      '1.34',
      'networking.k8s.io/v1beta1',
      'IPAddress',
      'networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+',
      '1.37',
    ],
    ['1.33', 'networking.k8s.io/v1beta1', 'IPAddress', undefined],
    ['1.33', 'v1', 'Pod', undefined],
  ]
  for (const [release, apiVersion, kind, warning, removedRelease = ''] of warnings)
    it(`${release} ${warning === undefined ? 'does not warn' : 'warns'} of ${apiVersion} ${kind}`, () =>
      expect(deprecationIn(release, apiVersion, kind)).to.deep.equal(warning && { warning, removedRelease }))

  const minor = (release: Release): number => Number(release.split('.')[1])

  // https://kubernetes.io/docs/reference/using-api/deprecation-policy/
  for (const [apiVersion, kinds] of Object.entries(LIFECYCLES))
    for (const [kind, life] of Object.entries(kinds)) {
      const releases = [life.introduced, life.deprecated, life.removed].filter(release => release !== undefined)
      it(`${apiVersion} ${kind}: ${releases.join(' < ')}`, () => {
        for (let i = 1; i < releases.length; i++) expect(compareReleases(releases[i - 1]!, releases[i]!)).to.be.below(0)
        const stability = stabilityOf(parseApiVersion(apiVersion)?.version ?? '')
        if (life.removed === undefined) return
        expect(stability, 'stable versions are not removed').to.not.equal('ga')
        expect(life.deprecated, 'nothing goes without a warning').to.not.equal(undefined)
        if (stability !== 'beta') return
        expect(minor(life.removed) - minor(life.deprecated!), 'a beta stays for three releases').to.be.at.least(3)
        if (life.replacement === undefined) return
        const [group = '', replacement = ''] = life.replacement.replace(/List$/, '').split(' ')
        expect(existsIn(life.removed, group, replacement), 'its replacement is there when it goes').to.equal(true)
        expect(lifecycleOf(group, replacement)).to.not.equal(undefined)
      })
    }

  it('are reported by name only', () => expect(lifecycleOf('toString', 'length')).to.equal(undefined))
})
