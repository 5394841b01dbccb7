import { expect } from 'chai'
import { readCommandLine } from '../../../src/config/command-line.ts'
import type { Config } from '../../../src/config/config.ts'
import { FlagError } from '../../../src/config/parse-flags.ts'

function configOf(...argv: string[]): Config {
  const command = readCommandLine(argv)
  if (command.action !== 'serve') throw new Error(`asked for ${command.action}`)
  return command.config
}

const ISSUER = ['--oidc-issuer-url=https://issuer', '--oidc-client-id=us']

describe('authenticationOf', () => {
  it('uses no other authenticators by default', () =>
    expect(configOf().access.authentication).to.deep.equal({
      configFile: undefined,
      oidc: undefined,
      anonymous: true,
      isAnonymousGiven: false,
    }))

  it('parses the issuer', () => {
    const { oidc } = configOf(
      ...ISSUER,
      '--oidc-required-claim=team=a,b',
      '--oidc-required-claim= x = y ',
      '--oidc-signing-algs=ES256,RS512',
      '--oidc-username-prefix=-',
    ).access.authentication
    expect(oidc).to.deep.equal({
      issuerUrl: 'https://issuer',
      clientId: 'us',
      caFile: undefined,
      usernameClaim: 'sub',
      usernamePrefix: '-',
      groupsClaim: '',
      groupsPrefix: '',
      signingAlgorithms: ['ES256', 'RS512'],
      requiredClaims: new Map([
        ['team', 'a,b'],
        ['x', 'y'],
      ]),
    })
  })

  const refused: readonly [readonly string[], string][] = [
    [['--oidc-groups-claim=g'], 'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set'],
    [['--oidc-issuer-url=https://issuer'], 'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set'],
    [['--authentication-config=f', '--oidc-client-id=us'], 'authentication-config file and oidc-* flags are mutually exclusive'],
    [
      ['--authentication-config=f', '--feature-gates=StructuredAuthenticationConfiguration=false'],
      'set --feature-gates=StructuredAuthenticationConfiguration=true to use authentication-config file',
    ],
    [
      ['--authentication-config=f', '--emulated-version=1.28'],
      'set --feature-gates=StructuredAuthenticationConfiguration=true to use authentication-config file',
    ],
    [[...ISSUER, '--oidc-signing-algs=RS256,HS256'], 'oidc: unsupported signing alg: "HS256"'],
    [[...ISSUER, '--oidc-required-claim=x'], 'malformed pair, expect string=string'],
  ]
  for (const [argv, message] of refused) it(`refuses ${argv.join(' ')}`, () => expect(() => configOf(...argv)).to.throw(FlagError, message))

  it('disables anonymous requests with AlwaysAllow', () => {
    const { access, observability } = configOf('--authorization-mode=AlwaysAllow')
    expect(access.authentication.anonymous).to.equal(false)
    expect(observability.warnings).to.include(
      'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer',
    )
    expect(configOf('--authorization-mode=AlwaysAllow', '--anonymous-auth=false').observability.warnings).to.deep.equal([])
  })
})
