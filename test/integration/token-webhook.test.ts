import { expect } from 'chai'
import { openInProcess } from '../support/in-process-server.ts'
import { eventually } from '../support/waiting.ts'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'

describe('the token webhook', () => {
  it('authenticates requests, and serves TokenReviews', async () => {
    const hook = await WebhookServer.start()
    hook.acts.set('/tokens', review => {
      const { token } = review.spec as { token?: string }
      return {
        status: token === 'jane' ? { authenticated: true, user: { username: 'jane', groups: ['dev'], extra: { team: ['a'] } } } : {},
      }
    })
    const server = await openInProcess(
      ['--authentication-token-webhook-config-file=DIR/webhook', '--authentication-token-webhook-version=v1'],
      {
        webhook: kubeconfigOf(hook),
      },
    )
    await eventually('there are roles', async () => (await server.send('/readyz')).status === 200)
    const review = (body: object, token?: string) =>
      server.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body, ...(token !== undefined && { token }) })
    const mine = await review({}, 'jane')
    expect([mine.status, JSON.parse(mine.text).status.userInfo]).to.deep.equal([
      201,
      { username: 'jane', groups: ['dev', 'system:authenticated'], extra: { team: ['a'] } },
    ])
    expect((await review({}, 'nobody')).status).to.equal(401)
    const asked = hook.requests.length
    expect([(await review({}, 'jane')).status, (await review({}, 'nobody')).status, hook.requests.length]).to.deep.equal([201, 401, asked])
    const of = await server.send('/apis/authentication.k8s.io/v1/tokenreviews', {
      method: 'POST',
      body: { spec: { token: 'jane', audiences: ['elsewhere'] } },
    })
    expect(JSON.parse(of.text).status).to.deep.equal({ user: {}, error: 'invalid bearer token' })
    await server.stop()
    server.remove()
    hook.close()
  })

  it('never receives console sessions, whichever endpoint gets them', async () => {
    const hook = await WebhookServer.start()
    hook.acts.set('/tokens', () => ({ status: {} }))
    const server = await openInProcess(['--authentication-token-webhook-config-file=DIR/webhook', '--console', '--moments=1'], {
      webhook: kubeconfigOf(hook),
    })
    await eventually('there are roles', async () => (await server.send('/readyz')).status === 200)
    for (const path of ['/api', '/binnacle/at/5/api', '/binnacle/branches/a/api'])
      expect((await server.send(path, { token: 'binnacle-console.of-a-session' })).status, path).to.equal(401)
    expect(hook.requests).to.have.length(0)
    for (const path of ['/api', '/binnacle/at/5/api']) await server.send(path, { token: `other${path}` })
    expect(hook.requests).to.have.length(2)
    await server.stop()
    server.remove()
    hook.close()
  })
})

function kubeconfigOf({ port, caBundle }: WebhookServer): string {
  const cluster = `{server: "https://127.0.0.1:${port}/tokens", certificate-authority-data: ${caBundle}}`
  return `current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: ${cluster}}]\nusers: [{name: u, user: {}}]\n`
}
