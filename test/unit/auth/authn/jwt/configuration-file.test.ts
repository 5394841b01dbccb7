import { expect } from 'chai'
import { completeConfiguration } from '../../../../../src/auth/authn/jwt/configuration.ts'
import { AuthenticationConfigError, parseAuthenticationConfiguration } from '../../../../../src/auth/authn/jwt/configuration-file.ts'
import { flagConfiguration, type OidcFlags } from '../../../../../src/auth/authn/jwt/flag-configuration.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'

const parse = (text: string, release: Release = '1.33') => parseAuthenticationConfiguration(Buffer.from(text), release)
const GROUP = 'apiserver.config.k8s.io'
const KIND = 'kind: AuthenticationConfiguration'

describe('parseAuthenticationConfiguration', () => {
  const wanted = completeConfiguration({
    jwt: [{ issuer: { url: 'https://test-issuer' }, claimMappings: { username: { claim: 'sub', prefix: '' } } }],
    anonymous: { enabled: true },
  })
  for (const version of ['v1alpha1', 'v1beta1'])
    it(`parses ${version}, as YAML and as JSON`, () => {
      const yaml = `apiVersion: ${GROUP}/${version}\n${KIND}\njwt:\n- issuer:\n    url: https://test-issuer\n  claimMappings:\n    username:\n      claim: sub\n      prefix: ""\nanonymous:\n  enabled: true\n`
      expect(parse(yaml)).to.deep.equal(wanted)
      const json = { apiVersion: `${GROUP}/${version}`, kind: 'AuthenticationConfiguration', jwt: wanted.jwt, anonymous: { enabled: true } }
      const { egressSelectorType: _, ...issuer } = json.jwt[0]?.issuer ?? { egressSelectorType: '' }
      expect(parse(JSON.stringify({ ...json, jwt: [{ ...json.jwt[0], issuer }] }))).to.deep.equal(wanted)
    })

  it('accepts an empty list of issuers', () =>
    expect(parse(`apiVersion: ${GROUP}/v1alpha1\n${KIND}\n`)).to.deep.equal({ jwt: [], anonymous: undefined }))

  const header = (version: string): string => `apiVersion: ${GROUP}/${version}\n${KIND}\n`
  const refused: readonly [string, Release, string][] = [
    ['', '1.33', 'empty config data'],
    [`apiVersion: ${GROUP}/v99\n${KIND}\n`, '1.33', `no kind "AuthenticationConfiguration" is registered for version "${GROUP}/v99"`],
    [`${KIND}\n`, '1.33', "Object 'apiVersion' is missing"],
    [`apiVersion: ${GROUP}/v1alpha1\n`, '1.33', "Object 'Kind' is missing"],
    [`apiVersion: apps/v1alpha1\n${KIND}\n`, '1.33', 'apps/v1alpha1'],
    [`apiVersion: ${GROUP}/v1alpha1\nkind: SomeConfiguration\n`, '1.33', 'SomeConfiguration'],
    [`${header('v1beta1')}jwt1: []\n`, '1.33', 'strict decoding error: unknown field "jwt1"'],
    [`${header('v1beta1')}jwt:\n- issuer: {egressSelectorType: cluster}\n`, '1.33', 'unknown field "jwt[0].issuer.egressSelectorType"'],
    [`${header('v1beta1')}anonymous: {enabled: true}\n`, '1.30', 'unknown field "anonymous"'],
    [header('v1'), '1.33', `no kind "AuthenticationConfiguration" is registered for version "${GROUP}/v1"`],
    [header('v1beta1'), '1.29', `no kind "AuthenticationConfiguration" is registered for version "${GROUP}/v1beta1"`],
    [`${header('v1beta1')}jwt: {}\n`, '1.33', 'cannot unmarshal object'],
    [`${header('v1beta1')}__proto__: {}\n`, '1.33', 'unknown field "__proto__"'],
  ]
  for (const [text, release, message] of refused)
    it(`rejects ${JSON.stringify(text)} in ${release}`, () =>
      expect(() => parse(text, release)).to.throw(AuthenticationConfigError, message))

  it('parses v1 from 1.34 on', () => expect(parse(header('v1'), '1.34').jwt).to.deep.equal([]))
})

describe('flagConfiguration', () => {
  const flags: OidcFlags = {
    issuerUrl: 'https://issuer',
    clientId: 'us',
    caFile: undefined,
    usernameClaim: 'sub',
    usernamePrefix: '',
    groupsClaim: '',
    groupsPrefix: '',
    signingAlgorithms: ['RS256'],
    requiredClaims: new Map(),
  }
  const mappings = (more: Partial<OidcFlags>) => flagConfiguration({ ...flags, ...more }, '').jwt[0]?.claimMappings
  const prefixes: readonly [Partial<OidcFlags>, string][] = [
    [{ usernamePrefix: '-' }, ''],
    [{}, 'https://issuer#'],
    [{ usernameClaim: 'email' }, ''],
    [{ usernameClaim: 'email', usernamePrefix: 'k8s-' }, 'k8s-'],
    [{ usernamePrefix: 'k8s-' }, 'k8s-'],
  ]
  for (const [more, prefix] of prefixes)
    it(`uses prefix ${JSON.stringify(prefix)} for ${JSON.stringify(more)}`, () => expect(mappings(more)?.username.prefix).to.equal(prefix))

  it('maps groups and required claims if they are given', () => {
    expect(mappings({})?.groups).to.deep.equal({ claim: '', prefix: undefined, expression: '' })
    expect(mappings({ groupsClaim: 'roles', groupsPrefix: 'g:' })?.groups).to.deep.equal({ claim: 'roles', prefix: 'g:', expression: '' })
    const [jwt] = flagConfiguration({ ...flags, requiredClaims: new Map([['a', 'b']]) }, 'PEM').jwt
    expect(jwt?.claimValidationRules).to.deep.equal([{ claim: 'a', requiredValue: 'b', expression: '', message: '' }])
    expect(jwt?.issuer).to.include({ url: 'https://issuer', certificateAuthority: 'PEM' }).and.to.have.deep.property('audiences', ['us'])
  })
})
