import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type AuthenticationConfiguration,
  completeConfiguration,
  type GivenConfiguration,
} from '../../../../../src/auth/authn/jwt/configuration.ts'
import { expressionCompiler } from '../../../../../src/auth/authn/jwt/expressions.ts'
import { validateConfiguration } from '../../../../../src/auth/authn/jwt/validation.ts'
import type { ValidationRules } from '../../../../../src/auth/authn/jwt/validation-rules.ts'
import { aggregate } from '../../../../../src/lib/aggregate.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'

/**
 * A configuration, and the errors that kube-apiserver's own tests expect. `wantedSince134`: errors since 1.34, if they
 * differ.
 */
interface Case extends GivenConfiguration {
  readonly disallowed?: readonly string[]
  readonly structured?: boolean
  readonly egressSelector?: boolean
  readonly wanted?: string
  readonly wantedSince134?: string
}

const compiler = expressionCompiler()
const rulesOf = (more: Partial<ValidationRules> = {}): ValidationRules => ({
  release: '1.33',
  structured: true,
  anonymousEndpoints: true,
  egressSelector: true,
  disallowedIssuers: [],
  compiler,
  ...more,
})
const faults = (configuration: AuthenticationConfiguration, rules: ValidationRules): string =>
  aggregate(validateConfiguration(configuration, rules).errors.map(fieldErrorText))
const cases: readonly Case[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../fixtures/authentication/validation.json'), 'utf8'),
)
const issuer = { url: 'https://issuer', audiences: ['a'] }
const username = { claim: 'sub', prefix: '' }

describe('validateConfiguration', () => {
  for (const [i, given] of cases.entries()) {
    const { disallowed: disallowedIssuers = [], structured = true, egressSelector = true, wanted, wantedSince134 = wanted } = given
    const configuration = completeConfiguration(given)
    if (wanted !== undefined)
      it(`reports upstream's errors: ${i} ${wanted.slice(0, 100)}`, () =>
        expect(faults(configuration, rulesOf({ disallowedIssuers, structured }))).to.equal(wanted))
    if (wantedSince134 !== undefined)
      it(`reports upstream's errors in 1.36: ${i} ${wantedSince134.slice(0, 100)}`, () =>
        expect(faults(configuration, rulesOf({ disallowedIssuers, structured, egressSelector, release: '1.36' }))).to.equal(wantedSince134))
  }

  it('rejects egressSelectorType without its feature gate', () => {
    const configuration = completeConfiguration({
      jwt: [{ issuer: { ...issuer, egressSelectorType: 'cluster' }, claimMappings: { username } }],
    })
    expect(faults(configuration, rulesOf({ release: '1.34', egressSelector: false }))).to.equal(
      'jwt[0].issuer.egressSelectorType: Invalid value: "cluster": egress selector is not supported when StructuredAuthenticationConfigurationEgressSelector feature gate is disabled',
    )
  })

  it('limits the number of issuers, to one before 1.30', () => {
    const jwt = Array.from({ length: 65 }, (_, i) => ({ issuer: { ...issuer, url: `https://issuer-${i}` }, claimMappings: { username } }))
    expect(faults(completeConfiguration({ jwt }), rulesOf())).to.equal('jwt: Too many: 65: must have at most 64 items')
    expect(faults(completeConfiguration({ jwt: jwt.slice(1) }), rulesOf())).to.equal('')
    const before = rulesOf({ release: '1.29' })
    expect(faults(completeConfiguration({ jwt: jwt.slice(0, 2) }), before)).to.equal('jwt: Too many: 2: must have at most 1 items')
    expect(faults(completeConfiguration({}), before)).to.equal('jwt: Required value: at least one jwt is required')
    expect(
      faults(completeConfiguration({ jwt: [{ issuer: { ...issuer, audiences: ['a', 'b'] }, claimMappings: { username } }] }), before),
    ).to.equal('jwt[0].issuer.audiences: Too many: 2: must have at most 1 items')
  })

  it('validates anonymous access', () => {
    const anonymous = { enabled: false, conditions: [{ path: '/livez' }] }
    const configuration = completeConfiguration({ anonymous })
    expect(faults(configuration, rulesOf())).to.equal(
      'anonymous.conditions: Invalid value: []apiserver.AnonymousAuthCondition{apiserver.AnonymousAuthCondition{Path:"/livez"}}: enabled should be set to true when conditions are defined',
    )
    expect(faults(configuration, rulesOf({ release: '1.34', anonymousEndpoints: false }))).to.equal(
      '[anonymous: Forbidden: anonymous is not supported when AnonymousAuthConfigurableEnpoints feature gate is disabled, anonymous.conditions: Invalid value: [{"Path":"/livez"}]: enabled should be set to true when conditions are defined]',
    )
    expect(faults(completeConfiguration({ anonymous: { ...anonymous, enabled: true } }), rulesOf())).to.equal('')
  })
})
