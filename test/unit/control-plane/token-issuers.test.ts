import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { TokenCacheMetrics } from '../../../src/auth/authn/token-cache-metrics.ts'
import { readCommandLine } from '../../../src/config/command-line.ts'
import { openTokenIssuers } from '../../../src/control-plane/token-issuers.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/log.ts'

describe('openTokenIssuers', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'issuers-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  /** Opens issuers with a file of these members, if any. */
  async function open(members: object | undefined, ...flags: string[]) {
    const file = join(directory, 'authentication.json')
    if (members)
      writeFileSync(
        file,
        JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', ...members }),
      )
    const command = readCommandLine([...(members ? [`--authentication-config=${file}`] : []), ...flags])
    if (command.action !== 'serve') throw new Error('not a server')
    return openTokenIssuers(command.config, { clock: systemClock, log: silentLogger, cacheMetrics: new TokenCacheMetrics() })
  }
  async function anonymousOf(members: object | undefined, ...flags: string[]): Promise<unknown> {
    const issuers = await open(members, ...flags)
    await issuers.close()
    return issuers.anonymous
  }
  const faultOf = async (members: object, ...flags: string[]): Promise<string> => {
    try {
      await (await open(members, ...flags)).close()
      return 'none'
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.message : `no message for users: ${error}`
    }
  }
  const ON = { anonymous: { enabled: true } }
  const GATE = '--feature-gates=AnonymousAuthConfigurableEndpoints'

  it('has no authenticators without configuration', async () =>
    expect(await open(undefined)).to.deep.include({ tokens: [], metrics: [], anonymous: true }))

  it('takes anonymous access from the file unless the flag is given', async () => {
    expect([await anonymousOf(undefined, '--anonymous-auth=false'), await anonymousOf(undefined, '--anonymous-auth')]).to.deep.equal([
      false,
      true,
    ])
    expect([
      await anonymousOf(ON),
      await anonymousOf({ anonymous: { enabled: false } }),
      await anonymousOf({}, '--anonymous-auth=false'),
    ]).to.deep.equal([true, false, false])
    expect(await anonymousOf({ anonymous: { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }] } })).to.deep.equal(
      new Set(['/livez', '/readyz']),
    )
  })

  it('rejects contradictory settings', async () => {
    const both = 'flag cannot be set when anonymous field is configured in authentication configuration file'
    expect(await faultOf(ON, '--anonymous-auth=true')).to.equal(`anonymous: Forbidden: --anonynous-auth ${both}`)
    expect(await faultOf(ON, '--anonymous-auth=true', '--emulated-version=1.34')).to.equal(`anonymous: Forbidden: --anonymous-auth ${both}`)
    expect(await faultOf(ON, `${GATE}=false`)).to.equal(
      'anonymous: Forbidden: anonymous is not supported when AnonymousAuthConfigurableEnpoints feature gate is disabled',
    )
    expect(await faultOf({ anonymous: { conditions: [{ path: '/' }] } })).to.include(
      'enabled should be set to true when conditions are defined',
    )
  })

  it('rejects an invalid file in the words of the release', async () => {
    expect(await faultOf({ x: 1 })).to.equal('strict decoding error: unknown field "x"')
    const file = JSON.stringify(join(directory, 'authentication.json'))
    expect(await faultOf({ x: 1 }, '--emulated-version=1.34')).to.equal(
      `failed to load authentication configuration from file ${file}: strict decoding error: unknown field "x"`,
    )
    expect(await faultOf({ jwt: [{}] }, '--emulated-version=1.34')).to.match(
      /^invalid authentication configuration: \[jwt\[0\]\.issuer\.url: Required value, /,
    )
  })

  it("rejects the server's own issuer", async () => {
    const jwt = [{ issuer: { url: 'https://us', audiences: ['a'] }, claimMappings: { username: { claim: 'sub', prefix: '' } } }]
    expect(await faultOf({ jwt }, '--service-account-issuer=https://us')).to.equal(
      'issuer.url: Invalid value: "https://us": URL must not overlap with disallowed issuers: [https://us]',
    )
  })
})
