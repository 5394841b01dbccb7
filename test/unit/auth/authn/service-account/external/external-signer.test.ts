import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openExternalSigner } from '../../../../../../src/auth/authn/service-account/external/external-signer.ts'
import { SignerMetrics } from '../../../../../../src/auth/authn/service-account/external/metrics.ts'
import { Verifier } from '../../../../../../src/auth/authn/service-account/verify.ts'
import { errorMessage } from '../../../../../../src/lib/error-message.ts'
import { silentLogger } from '../../../../../../src/lib/log.ts'
import type { Release } from '../../../../../../src/lifecycle/release.ts'
import { startTokenSigner, type TokenSigner } from '../../../../../support/token-signer.ts'

const CLAIMS = {
  aud: ['api'],
  exp: 2,
  iat: 1,
  iss: 'https://issuer',
  nbf: 1,
  sub: 'me',
  'kubernetes.io': { namespace: 'n', serviceaccount: { name: 'a', uid: 'u' } },
}
const NOW = 1_700_000_100_000

describe('openExternalSigner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'))
  let plugin: TokenSigner
  let count = 0
  const closing: (() => void)[] = []
  beforeEach(async () => {
    plugin = await startTokenSigner(join(folder, `${count++}.sock`), 'v1')
    closing.push(() => plugin.close())
  })
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })
  after(() => rmSync(folder, { recursive: true }))

  const metrics = new SignerMetrics()
  const open = async (release: Release = '1.34') => {
    const signer = await openExternalSigner({
      endpoint: plugin.path,
      release,
      metrics,
      clock: { now: () => NOW },
      log: silentLogger,
      keysTimeoutMs: 5000,
    })
    closing.push(() => signer.close())
    return signer
  }

  it('signs tokens that its keys verify', async () => {
    const signer = await open()
    const token = await signer.sign(CLAIMS)
    const verifier = new Verifier(
      id => signer.keys(id),
      payload => payload,
    )
    expect(await verifier.claims(token)).to.deep.equal(CLAIMS)
    expect(signer.maxExpirationSeconds).to.equal(7200)
    expect(signer.maxAgeSeconds()).to.equal(600)
  })

  it('fetches again for an unknown key, once for all callers', async () => {
    const signer = await open()
    plugin.rotate('second')
    const token = await signer.sign(CLAIMS)
    expect(plugin.calls.FetchKeys).to.equal(2)
    const verifier = new Verifier(
      id => signer.keys(id),
      payload => payload,
    )
    expect(await verifier.claims(token)).to.deep.equal(CLAIMS)
    expect(plugin.calls.FetchKeys).to.equal(2)
    await Promise.all([signer.keys('third'), signer.keys('fourth')])
    expect(plugin.calls.FetchKeys).to.equal(3)
    plugin.failure = 'no'
    expect(await signer.keys('fifth')).to.deep.equal([])
    expect(await signer.keys('first')).to.have.length(1)
    expect(await signer.keys()).to.have.length(2)
  })

  it('uses v1alpha1 before 1.34', async () => {
    plugin.close()
    plugin = await startTokenSigner(join(folder, `${count++}.sock`), 'v1alpha1')
    closing.push(() => plugin.close())
    expect((await (await open('1.33')).sign(CLAIMS)).split('.')).to.have.length(3)
  })

  const faults: [string, (plugin: TokenSigner) => void, string][] = [
    ['a failed call', p => (p.failure = 'go away'), 'while signing jwt: rpc error: code = PermissionDenied desc = go away'],
    ['no type', p => (p.header = { alg: 'ES256', kid: 'first' }), 'while validating header: bad type'],
    ['no key id', p => (p.header = { alg: 'ES256', typ: 'JWT' }), 'while validating header: key id missing'],
    [
      'a long key id',
      p => (p.header = { alg: 'ES256', typ: 'JWT', kid: 'k'.repeat(1025) }),
      'while validating header: key id longer than 1 kb',
    ],
    [
      'an unsupported algorithm',
      p => (p.header = { alg: 'RS512', typ: 'JWT', kid: 'first' }),
      'while validating header: bad signing algorithm "RS512"',
    ],
    [
      'unknown header members',
      p => (p.header = { ...p.header, x5u: 'a' }),
      'while validating header: while parsing header JSON: json: unknown field "x5u"',
    ],
    ['no signature', p => (p.signature = ''), 'empty signature returned'],
    [
      'a key that is excluded from discovery',
      p => p.rotate('hidden', true),
      'while validating header: key used for signing JWT (kid: hidden) is excluded from OIDC discovery docs',
    ],
  ]
  for (const [what, change, why] of faults)
    it(`rejects ${what}`, async () => {
      const signer = await open()
      change(plugin)
      expect(await signer.sign(CLAIMS).catch(errorMessage)).to.equal(why)
    })

  const START =
    'while setting up external-jwt-signer: while initially filling key cache: while performing initial cache fill: while fetching token verification keys: '
  const starts: [string, (plugin: TokenSigner) => void, string][] = [
    [
      'a failed call',
      p => (p.failure = 'no'),
      `${START}while getting externally supported jwt signing keys: rpc error: code = PermissionDenied desc = no`,
    ],
    ['no keys', p => (p.keys = []), `${START}found no keys`],
    ['a bad hint', p => (p.refreshHintSeconds = -1), `${START}found invalid refresh hint (-1s)`],
    ['no data timestamp', p => (p.dataTimestamp = undefined), `${START}invalid data timestamp: proto: invalid nil Timestamp`],
    ['no key id', p => (p.keys = [{ key_id: '', key: Buffer.from('a') }]), `${START}found invalid public key id ""`],
    ['an empty key', p => (p.keys = [{ key_id: 'a', key: Buffer.alloc(0) }]), `${START}found empty public key`],
    [
      'short tokens',
      p => (p.maxTokenExpirationSeconds = 599),
      'max token life supported by external-jwt-signer (599s) is less than acceptable (min 600s)',
    ],
  ]
  for (const [what, change, why] of starts)
    it(`fails to start with ${what}`, async () => {
      change(plugin)
      expect(await open().then(() => '', errorMessage)).to.equal(why)
    })

  it('is counted in metrics', () => {
    const seen = metrics.families
      .flatMap(family => [...family.samples()])
      .map(({ metricName, labels }) => `${metricName} ${labels.code ?? ''}`)
    expect(seen).to.include.members([
      'apiserver_externaljwt_sign_request_total OK',
      'apiserver_externaljwt_sign_request_total PermissionDenied',
      'apiserver_externaljwt_sign_request_total unknown-non-grpc',
      'apiserver_externaljwt_fetch_keys_request_total OK',
      'apiserver_externaljwt_fetch_keys_data_timestamp ',
    ])
  })
})
