import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type InProcessServer, openInProcess } from '../support/in-process-server.ts'
import { eventually } from '../support/waiting.ts'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'

const PODS = '/api/v1/namespaces/default/pods'
const REVIEWS = '/apis/authorization.k8s.io/v1'
const TOKENS = 'jane,jane,2,dev\n'

type Spec = { readonly user?: string; readonly resourceAttributes?: Record<string, unknown> }

describe('authorization webhooks', () => {
  let hook: WebhookServer
  let status: object | undefined
  const asked = (): Spec[] => hook.requests.map(({ review }) => review.spec as Spec).filter(({ user }) => user === 'jane')
  before(async () => {
    hook = await WebhookServer.start()
    hook.acts.set('/authorize', (_review, res) => {
      if (status === undefined) return void res.writeHead(403, { 'content-type': 'text/plain' }).end('<closed>')
      return { kind: 'SubjectAccessReview', status }
    })
  })
  beforeEach(() => {
    status = { allowed: true }
    hook.requests.length = 0
  })
  after(() => hook.close())

  const kubeconfig = (): string => {
    const cluster = `{server: "https://127.0.0.1:${hook.port}/authorize", certificate-authority-data: ${hook.caBundle}}`
    return `current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: ${cluster}}]\nusers: [{name: u, user: {token: t}}]\n`
  }
  const open = async (...flags: string[]): Promise<InProcessServer> => {
    const server = await openInProcess(flags, { tokens: TOKENS, kubeconfig: kubeconfig() })
    await eventually('there is a namespace', async () => (await server.send('/api/v1/namespaces/default')).status === 200)
    return server
  }
  const close = async (server: InProcessServer): Promise<void> => {
    await server.stop()
    server.remove()
  }
  const sample = async (server: InProcessServer, name: string): Promise<string[]> =>
    (await server.send('/metrics')).text.split('\n').filter(line => line.startsWith(`apiserver_authorization_${name}`))

  it('are called in mode Webhook, and their decisions are cached', async () => {
    const server = await open('--authorization-mode=RBAC,Webhook', '--authorization-webhook-config-file=DIR/kubeconfig')
    const list = () => server.send(`${PODS}?labelSelector=a%3Db`, { token: 'jane' })
    expect([(await list()).status, (await list()).status]).to.deep.equal([200, 200])
    expect(asked()).to.deep.equal([
      {
        user: 'jane',
        uid: '2',
        group: ['dev', 'system:authenticated'],
        resourceAttributes: {
          namespace: 'default',
          verb: 'list',
          version: 'v1',
          resource: 'pods',
          labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
        },
      },
    ])
    expect(await sample(server, 'decisions_total{type="Webhook"')).to.deep.equal([
      'apiserver_authorization_decisions_total{type="Webhook",name="default",decision="allowed"} 2',
    ])
    const rules = await server.send(`${REVIEWS}/selfsubjectrulesreviews`, {
      method: 'POST',
      body: { spec: { namespace: 'default' } },
      token: 'jane',
    })
    expect(JSON.parse(rules.text).status).to.deep.include({
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    })
    await close(server)
  })

  it('end requests with 500 if they fail and no other authorizer allows the request', async () => {
    const server = await open(
      '--authorization-mode=Webhook',
      '--authorization-webhook-config-file=DIR/kubeconfig',
      '--authorization-webhook-version=v1',
    )
    status = undefined
    const { status: code, text, contentType } = await server.send(PODS, { token: 'jane' })
    expect([code, contentType, text]).to.deep.equal([
      500,
      'text/plain; charset=utf-8',
      `Internal Server Error: "${PODS}": &lt;closed&gt;\n`,
    ])
    const spec = { user: 'jane', resourceAttributes: { verb: 'get', resource: 'pods' } }
    const review = await server.send(`${REVIEWS}/subjectaccessreviews`, { method: 'POST', body: { spec } })
    expect(JSON.parse(review.text).status).to.deep.equal({ allowed: false, evaluationError: '<closed>' })
    status = { denied: true, reason: 'no pods for jane' }
    expect((await server.send(PODS, { token: 'jane' })).text).to.include('no pods for jane')
    expect(await sample(server, 'webhook_evaluations_fail_open_total')).to.deep.equal([
      'apiserver_authorization_webhook_evaluations_fail_open_total{name="default",result="error"} 2',
    ])
    await close(server)
  })

  it('are configured by a file, which is reloaded', async () => {
    const directory = { path: '' }
    const configuration = (expression: string, types: string[] = ['RBAC']): string =>
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: [
          {
            type: 'Webhook',
            name: 'panda',
            webhook: {
              timeout: '5s',
              authorizedTTL: '1ms',
              unauthorizedTTL: '1ms',
              failurePolicy: 'Deny',
              subjectAccessReviewVersion: 'v1',
              matchConditionSubjectAccessReviewVersion: 'v1',
              connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: join(directory.path, 'panda.kubeconfig') },
              matchConditions: [{ expression }],
            },
          },
          ...types.map(type => ({ type, name: type.toLowerCase() })),
        ],
      })
    const made = await openInProcess(['--authorization-mode=RBAC'])
    await made.stop()
    directory.path = made.directory
    const file = join(made.directory, 'authz.json')
    // Replaces the file atomically, as an operator would.
    const write = (text: string): void => {
      writeFileSync(`${file}.new`, text)
      renameSync(`${file}.new`, file)
    }
    writeFileSync(join(made.directory, 'panda.kubeconfig'), kubeconfig())
    write(configuration("has(request.resourceAttributes) && request.resourceAttributes.resource == 'pods'"))
    const server = await open(`--authorization-config=${file}`)
    const statusOf = async (path: string) => (await server.send(path, { token: 'jane' })).status
    expect([await statusOf(PODS), await statusOf('/api/v1/namespaces/default/secrets')]).to.deep.equal([200, 403])
    expect(asked()).to.have.length(1)

    write(configuration("request.user == 'jane'"))
    await eventually('the changed file counts', async () => (await statusOf('/api/v1/namespaces/default/secrets')) === 200)
    const reloads = () => sample(server, 'config_controller_automatic_reloads_total')
    expect((await reloads()).map(line => line.replace(/sha256:\w+/, 'H'))).to.deep.equal([
      'apiserver_authorization_config_controller_automatic_reloads_total{status="success",apiserver_id_hash="H"} 2',
    ])

    write(configuration('true', ['AlwaysAllow']))
    await eventually('the wrong file is reported', async () => (await reloads()).some(line => line.includes('status="failure"')))
    status = { allowed: false }
    expect(await statusOf(PODS), 'RBAC is still asked, and AlwaysAllow is not').to.equal(403)
    await close(server)
    made.remove()
  })
})
