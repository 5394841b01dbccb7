import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ResourceAccess } from '../../../src/catalog/resource-access.ts'
import { readCommandLine } from '../../../src/config/command-line.ts'
import { openAuth } from '../../../src/control-plane/auth-service.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { notFoundError } from '../../../src/meta/status.ts'
import { parseRequestInfo } from '../../../src/server/filters/request-info.ts'
import { clockOf } from '../../support/clock-of.ts'

const clock = clockOf(() => Date.parse('2026-01-02T03:04:05Z'))
const AT = clock.now() / 1000
const signal = new AbortController().signal
const claims = {
  aud: ['https://issuer'],
  exp: AT + 600,
  iat: AT,
  iss: 'https://issuer',
  jti: 'x',
  'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'bot', uid: 'u1' } },
  nbf: AT,
  sub: 'system:serviceaccount:ns:bot',
}
/** An account that is in the store but not in the watch cache yet. */
const access = {
  get: async (_id: unknown, _namespace: string, name: string, options?: { resourceVersion?: string }) => {
    if (options?.resourceVersion === '0') throw notFoundError({ group: '', resource: 'serviceaccounts' }, name)
    return { metadata: { name, uid: 'u1' } }
  },
} as unknown as ResourceAccess

describe('openAuth', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'auth-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  async function open(...flags: string[]) {
    const command = readCommandLine([`--data-dir=${directory}`, '--service-account-issuer=https://issuer', ...flags])
    if (command.action !== 'serve') throw new Error('not a server')
    const auth = await openAuth(command.config, clock, silentLogger)
    auth.connect(access)
    const as = (token: string) => auth.authenticator({ headers: { authorization: `Bearer ${token}` }, socket: new Socket() })
    const may = async (name: string, groups: string[], path: string) =>
      (
        await auth.authorizer.authorize(
          { name, groups },
          parseRequestInfo('GET', path, () => new URLSearchParams()),
          signal,
        )
      ).decision
    return { auth, as, may }
  }
  const sign = async (auth: Awaited<ReturnType<typeof open>>['auth']): Promise<string> => (await auth.services.issuer?.sign(claims)) ?? ''

  it('generates a key on first use and keeps it', async () => {
    const first = await open()
    const key = join(directory, 'pki', 'sa.key')
    expect(existsSync(key)).to.equal(false)
    const token = await sign(first.auth)
    expect(statSync(key).mode & 0o777).to.equal(0o600)
    const second = await open()
    expect(await second.as(token)).to.include({ name: 'system:serviceaccount:ns:bot', uid: 'u1' })
    expect(await second.as(`${token}x`)).to.equal('rejected')
  })

  it('generates one key if several servers start at once', async () => {
    const servers = await Promise.all([open(), open(), open()])
    const tokens = await Promise.all(servers.map(({ auth }) => sign(auth)))
    for (const { as } of servers) for (const token of tokens) expect(await as(token)).to.include({ name: 'system:serviceaccount:ns:bot' })
    expect(readdirSync(join(directory, 'pki'))).to.deep.equal(['sa.key'])
  })

  it('signs with the given key, and accepts others', async () => {
    const pairs = [1, 2].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }))
    const [old, now] = pairs.map(({ privateKey }, i) => file(`${i}.key`, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()))
    const former = await open(`--service-account-signing-key-file=${old}`)
    const later = await open(
      `--service-account-signing-key-file=${now}`,
      `--service-account-key-file=${old}`,
      `--service-account-key-file=${now}`,
    )
    expect(await later.as(await sign(former.auth))).to.have.property('name')
    expect(await former.as(await sign(later.auth))).to.equal('rejected')
    const documents = await later.auth.documents('192.0.2.1:6443')
    expect(JSON.parse(documents?.keySet.toString() ?? '').keys).to.have.length(2)
    expect(JSON.parse(documents?.configuration.toString() ?? '').jwks_uri).to.equal('https://192.0.2.1:6443/openid/v1/jwks')
  })

  it('rejects an invalid key file at start', async () => {
    const refusal = await open(`--service-account-signing-key-file=${file('x', 'none')}`).catch((error: Error) => error.message)
    expect(refusal).to.match(/^failed to parse service-account-issuer-key-file .*x: /)
  })

  it('accepts static tokens as well', async () => {
    const { as, auth } = await open(`--token-auth-file=${file('tokens', 'secret,jane,1,"dev"')}`, '--api-audiences=here')
    expect(await as('secret')).to.deep.include({ name: 'jane', groups: ['dev', 'system:authenticated'] })
    expect(auth.services.audiences).to.deep.equal(['here'])
  })

  const modes: [string, string, string[], string, string][] = [
    ['Rules', 'jane', ['system:authenticated'], '/api/v1/pods', 'no opinion'],
    ['Rules', 'root', ['system:masters'], '/api/v1/pods', 'allow'],
    ['Rules', 'system:anonymous', ['system:unauthenticated'], '/healthz', 'allow'],
    ['RBAC', 'root', ['system:masters'], '/api/v1/pods', 'allow'],
    ['RBAC', 'system:anonymous', ['system:unauthenticated'], '/healthz', 'no opinion'],
    ['RBAC,AlwaysAllow', 'jane', ['system:authenticated'], '/api/v1/pods', 'allow'],
    ['AlwaysDeny', 'jane', ['system:authenticated'], '/api/v1/pods', 'no opinion'],
  ]
  for (const [mode, name, groups, path, wanted] of modes)
    it(`${mode}: ${name} may get ${path}: ${wanted}`, async () => {
      const { may, auth } = await open(`--authorization-mode=${mode}`)
      expect(await may(name, groups, path)).to.equal(wanted)
      expect(auth.rules !== undefined).to.equal(mode.includes('RBAC'))
    })
})
