import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type InProcessServer, openInProcess } from '../support/in-process-server.ts'
import { startTokenSigner, type TokenSigner } from '../support/token-signer.ts'
import { eventually } from '../support/waiting.ts'

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
const GATE = '--feature-gates=ExternalServiceAccountTokenSigner=true'

describe('service account tokens of an external signer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'))
  let signer: TokenSigner
  let server: InProcessServer
  before(async () => {
    signer = await startTokenSigner(join(folder, 'sock'), 'v1alpha1')
    signer.rotate('hidden', true)
    signer.rotate('signs')
    server = await openInProcess([
      GATE,
      `--service-account-signing-endpoint=${signer.path}`,
      '--service-account-issuer=https://issuer.test',
    ])
    await eventually('it is ready', async () => (await server.send('/readyz')).status === 200)
    await server.send(ACCOUNTS, { method: 'POST', body: { metadata: { name: 'robot' } } })
  })
  after(async () => {
    await server?.stop()
    server?.remove()
    signer.close()
    rmSync(folder, { recursive: true })
  })

  const askFor = async (expirationSeconds: number) => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } }
    const { status, text } = await server.send(`${ACCOUNTS}/robot/token`, { method: 'POST', body })
    return { status, body: JSON.parse(text) }
  }

  it('are accepted, and expire no later than the signer allows', async () => {
    const { status, body } = await askFor(86_400)
    expect([status, body.spec.expirationSeconds]).to.deep.equal([201, 7200])
    const [header = '', claims = ''] = body.status.token.split('.').map((part: string) => Buffer.from(part, 'base64url').toString())
    expect(JSON.parse(header)).to.deep.equal({ alg: 'ES256', kid: 'signs', typ: 'JWT' })
    expect(JSON.parse(claims).iss).to.equal('https://issuer.test')
    const whoami = await server.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      token: body.status.token,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    })
    expect(JSON.parse(whoami.text).status.userInfo.username).to.equal('system:serviceaccount:default:robot')
  })

  it('are verified with published keys, except those that are excluded', async () => {
    const { keys } = JSON.parse((await server.send('/openid/v1/jwks')).text)
    expect(keys.map(({ kid }: { kid: string }) => kid)).to.deep.equal(['first', 'signs'])
  })

  it("are refused with the signer's error", async () => {
    signer.failure = 'locked'
    const { status, body } = await askFor(600)
    signer.failure = undefined
    expect([status, body.message]).to.deep.equal([
      500,
      'Internal error occurred: failed to generate token: while signing jwt: rpc error: code = PermissionDenied desc = locked',
    ])
    expect((await server.send('/metrics')).text).to.include('apiserver_externaljwt_sign_request_total{code="PermissionDenied"} 1')
  })

  const refused: [string[], string][] = [
    [
      ['--service-account-signing-endpoint=/a'],
      'setting `--service-account-signing-endpoint` requires enabling ExternalServiceAccountTokenSigner feature gate',
    ],
    [
      [GATE, '--service-account-signing-endpoint=a b'],
      'invalid value "a b" passed for `--service-account-signing-endpoint`, should be a valid location on the filesystem or must be prefixed with @ to name UDS in abstract namespace',
    ],
    [
      [GATE, '--service-account-signing-endpoint=@a', '--service-account-signing-key-file=DIR/tokens'],
      "can't set `--service-account-signing-key-file` and/or `--service-account-key-file` with `--service-account-signing-endpoint` (They are mutually exclusive)",
    ],
  ]
  for (const [flags, why] of refused)
    it(`prevent the start with ${flags.at(-1)}`, async () => {
      const failure = await openInProcess(flags).then(
        () => '',
        (error: Error) => error.message,
      )
      expect(failure).to.equal(why)
    })

  it("prevent the start if their configured lifetime exceeds the signer's limit", async () => {
    const flags = [GATE, `--service-account-signing-endpoint=${signer.path}`, '--service-account-max-token-expiration=3h']
    const failure = await openInProcess(flags).then(
      () => '',
      (error: Error) => error.message,
    )
    expect(failure).to.equal(
      'service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: 3h0m0s > 2h0m0s',
    )
  })

  it('add health checks with slashes in their names', async () => {
    expect((await server.send('/readyz/poststarthook/rbac/bootstrap-roles')).status).to.equal(200)
    expect((await server.send('/readyz/poststarthook/rbac')).status).to.equal(404)
  })
})
