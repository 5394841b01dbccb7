import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type InProcessServer, openInProcess } from '../support/in-process-server.ts'
import { OidcServer } from '../support/oidc-server.ts'
import { signedToken, signingKey } from '../support/token-issuer.ts'
import { eventually } from '../support/waiting.ts'

/** The file of --authentication-config, as JSON, which is YAML. */
const configuration = (issuer: OidcServer, more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: issuer.url, audiences: ['us'], certificateAuthority: issuer.authority },
        claimMappings: {
          username: { expression: "'oidc:' + claims.sub" },
          groups: { claim: 'groups', prefix: 'oidc:' },
          uid: { claim: 'sub' },
          extra: [{ key: 'example.org/team', valueExpression: "has(claims.team) ? claims.team : ''" }],
        },
        userValidationRules: [{ expression: "!user.username.endsWith(':root')", message: 'nobody is root' }],
        ...more,
      },
    ],
    anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
  })

const whoami = async (server: InProcessServer, token: string): Promise<{ status: number; user?: Record<string, unknown> }> => {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const { status, text } = await server.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body, token })
  return { status, ...(status === 201 && { user: JSON.parse(text).status.userInfo }) }
}

const review = async (server: InProcessServer, token: string, audiences?: readonly string[]): Promise<Record<string, unknown>> => {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, ...(audiences && { audiences }) } }
  const { text } = await server.send('/apis/authentication.k8s.io/v1/tokenreviews', { method: 'POST', body })
  return JSON.parse(text).status
}

const metric = async (server: InProcessServer, name: string): Promise<string> => {
  const { text } = await server.send('/metrics')
  return text
    .split('\n')
    .filter(line => line.startsWith(name))
    .join('\n')
}

describe('a server that trusts an OIDC issuer', () => {
  let issuer: OidcServer
  let server: InProcessServer
  before(async () => {
    issuer = await OidcServer.start()
    // Tokens are refused until it is there.
    issuer.isDown = true
    server = await openInProcess(['--authentication-config=DIR/authentication.json', '--api-audiences=api'], {
      'authentication.json': configuration(issuer),
    })
  })
  after(async () => {
    await server.stop()
    server.remove()
    issuer.close()
  })
  const metadata = (): string => join(server.directory, 'authentication.json')
  /** Replaces the file atomically, as Kubernetes volumes do. */
  const replace = (text: string): void => {
    writeFileSync(`${metadata()}.new`, text)
    renameSync(`${metadata()}.new`, metadata())
  }

  it('rejects its tokens while the issuer is down, and accepts them when it is up', async () => {
    expect((await whoami(server, issuer.token())).status).to.equal(401)
    expect(await review(server, issuer.token())).to.deep.equal({ user: {}, error: 'oidc: authenticator not initialized' })
    issuer.isDown = false
    await eventually('the issuer is asked again', async () => (await whoami(server, issuer.token())).status === 201)
    const { user } = await whoami(server, issuer.token({ groups: ['a'], team: 'blue', jti: 'id-1' }))
    expect(user).to.deep.equal({
      username: 'oidc:jane',
      uid: 'jane',
      groups: ['oidc:a', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id-1'], 'example.org/team': ['blue'] },
    })
  })

  it('rejects forged and expired tokens, and those of other issuers and audiences, with the reason in reviews', async () => {
    const forged = signingKey('first')
    const errorOf = async (token: string): Promise<unknown> => (await review(server, token)).error
    const expired = issuer.token({ exp: 1_000_000_000 })
    expect(await errorOf(expired)).to.equal('oidc: verify token: oidc: token is expired (Token Expiry: 2001-09-09 01:46:40 +0000 UTC)')
    expect(await errorOf(issuer.token({}, forged))).to.equal(
      'oidc: verify token: failed to verify signature: failed to verify id token signature',
    )
    expect(await errorOf(issuer.token({ aud: 'them' }))).to.equal('oidc: verify token: oidc: expected audience "us" got ["them"]')
    expect(await errorOf(issuer.token({ sub: 'root' }))).to.equal(
      "oidc: error evaluating user info validation rule: validation expression '!user.username.endsWith(':root')' failed: nobody is root",
    )
    for (const token of [expired, issuer.token({}, forged), issuer.token({ iss: 'https://other' })])
      expect((await whoami(server, token)).status).to.equal(401)
    const claims = { iss: issuer.url, aud: 'us', sub: 'jane', exp: 2_000_000_000 }
    for (const alg of ['none', 'HS256', ''])
      expect(await errorOf(signedToken(forged, claims, { alg }))).to.include(
        `oidc: verify token: oidc: id token signed with unsupported algorithm`,
      )
  })

  it('reviews tokens for its own audiences only', async () => {
    const token = issuer.token()
    expect(await review(server, token, ['api', 'else']))
      .to.include({ authenticated: true })
      .and.to.have.deep.property('audiences', ['api'])
    expect(await review(server, token))
      .to.include({ authenticated: true })
      .and.to.have.deep.property('audiences', ['api'])
    expect(await review(server, token, ['else'])).to.not.have.property('authenticated')
  })

  it('loads new keys, and keeps the old ones while the issuer is down', async () => {
    const [old] = issuer.keys
    const next = signingKey('second', 'ES256')
    issuer.keys = [next]
    expect((await whoami(server, issuer.token({ jti: 'new' }, next))).status).to.equal(201)
    expect((await whoami(server, issuer.token({ jti: 'late' }, old))).status).to.equal(401)
    issuer.isDown = true
    expect((await whoami(server, issuer.token({ jti: 'down' }, next))).status).to.equal(201)
    expect((await whoami(server, issuer.token({ jti: 'down' }, old))).status).to.equal(401)
    issuer.isDown = false
  })

  it('admits anonymous requests only on the configured paths', async () => {
    const anonymous = async (path: string): Promise<number> => (await server.send(path, { headers: { authorization: '' } })).status
    await eventually('the default roles are there', async () => (await anonymous('/livez')) === 200)
    expect([
      await anonymous('/livez'),
      await anonymous('/livez?verbose'),
      await anonymous('/readyz'),
      await anonymous('/version'),
    ]).to.deep.equal([200, 200, 401, 401])
  })

  it('reloads a changed file, unless it is invalid', async () => {
    const reloads = (status: string): Promise<string> =>
      metric(server, `apiserver_authentication_config_controller_automatic_reloads_total{status="${status}"`)
    replace(configuration(issuer, { claimMappings: { username: { claim: 'sub' } } }))
    await eventually('the file is refused', async () => (await reloads('failure')).endsWith(' 1'))
    expect((await whoami(server, issuer.token({ jti: 'still' }))).user).to.include({ username: 'oidc:jane' })
    replace(configuration(issuer, { claimMappings: { username: { claim: 'sub', prefix: 'new:' } } }))
    await eventually('the file is taken up', async () => (await reloads('success')).endsWith(' 1'))
    expect((await whoami(server, issuer.token({ jti: 'then' }))).user).to.include({ username: 'new:jane' })
    expect(await metric(server, 'apiserver_authentication_jwt_authenticator_latency_seconds_count')).to.match(/result="success"/)
  })
})

describe('a server with the OIDC flags', () => {
  it('derives usernames from the issuer and the claim', async () => {
    const issuer = await OidcServer.start()
    const flags = ['--oidc-issuer-url', '--oidc-client-id', '--oidc-groups-claim', '--oidc-required-claim']
    const values = [issuer.url, 'us', 'groups', 'team=blue']
    const server = await openInProcess([...flags.map((flag, i) => `${flag}=${values[i]}`), '--oidc-ca-file=DIR/ca.crt'], {
      'ca.crt': issuer.authority,
    })
    try {
      await eventually('the issuer is known', async () => (await whoami(server, issuer.token({ team: 'blue' }))).status === 201)
      expect((await whoami(server, issuer.token({ team: 'blue', groups: 'one' }))).user).to.deep.equal({
        username: `${issuer.url}#jane`,
        groups: ['one', 'system:authenticated'],
      })
      expect(await review(server, issuer.token({ team: 'red' }))).to.deep.equal({
        user: {},
        error: 'oidc: required claim team value does not match. Got = red, want = blue',
      })
    } finally {
      await server.stop()
      server.remove()
      issuer.close()
    }
  })
})
