import { expect } from 'chai'
import { createProbeClient, type ProbeClient } from '../support/probe/client.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'
import { eventually } from '../support/waiting.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

describe('a server with RBAC, the default authorizer', () => {
  let server: StartedServer
  let client: ProbeClient
  before(async () => {
    server = await startBinnacle(['--service-account-issuer=https://issuer.example'])
    client = createProbeClient(server.kubeconfig)
  })
  after(async () => {
    client?.close()
    await server?.stop()
  })

  async function ask(method: string, path: string, options: { body?: object; token?: string; as?: string; anonymous?: boolean } = {}) {
    const { body, token, as, anonymous } = options
    const answer = await client.ask(method, path, {
      anonymous: anonymous ?? token !== undefined,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(as && { 'impersonate-user': as }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: Buffer.from(JSON.stringify(body)) }),
    })
    const text = answer.body.toString()
    return { status: answer.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined }
  }
  async function tokenOf(account: string, boundObjectRef?: object): Promise<string> {
    const spec = { audiences: [], ...(boundObjectRef && { boundObjectRef }) }
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
    const { json } = await ask('POST', `/api/v1/namespaces/default/serviceaccounts/${account}/token`, { body })
    return json.status.token
  }

  it('allows everyone to read health and version, and authenticated users to read discovery', async () => {
    for (const path of ['/healthz', '/readyz', '/version']) expect((await ask('GET', path, { anonymous: true })).status, path).to.equal(200)
    expect((await ask('GET', '/apis', { anonymous: true })).status).to.equal(403)
    expect((await ask('GET', '/apis', { as: 'jane' })).status).to.equal(200)
  })

  it('denies with kube-apiserver’s messages', async () => {
    const { status, json } = await ask('GET', '/api/v1/namespaces/default/pods', { as: 'jane' })
    expect([status, json.message]).to.deep.equal([
      403,
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    ])
  })

  it('allows the rules of a binding soon after it is created', async () => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }
    const body = { metadata: { name: 'readers' }, roleRef, subjects: [{ kind: 'User', name: 'reader' }] }
    expect((await ask('POST', `${RBAC}/namespaces/default/rolebindings`, { body })).status).to.equal(201)
    await eventually('it is allowed', async () => (await ask('GET', '/api/v1/namespaces/default/pods', { as: 'reader' })).status === 200)
    expect((await ask('GET', '/api/v1/namespaces/kube-system/pods', { as: 'reader' })).status).to.equal(403)
    expect((await ask('GET', '/api/v1/namespaces/default/secrets', { as: 'reader' })).status).to.equal(403)
    const review = { spec: { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } } }
    const { json } = await ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { body: review, as: 'reader' })
    expect(json.status).to.deep.equal({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "readers/default" of ClusterRole "view" to User "reader"',
    })
    await ask('DELETE', `${RBAC}/namespaces/default/rolebindings/readers`)
    await eventually('it is refused', async () => (await ask('GET', '/api/v1/namespaces/default/pods', { as: 'reader' })).status === 403)
  })

  it('prevents privilege escalation by roles and bindings', async () => {
    const bind = (name: string, role: string, user: string) =>
      ask('POST', `${RBAC}/clusterrolebindings`, {
        body: {
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
          subjects: [{ kind: 'User', name: user }],
        },
      })
    const grants = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create', 'update', 'patch'] }
    const rules = [grants, { apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
    await ask('POST', `${RBAC}/clusterroles`, { body: { metadata: { name: 'granter' }, rules } })
    await bind('granter', 'granter', 'gina')
    const role = (name: string, verbs: string[]) => ({ metadata: { name }, rules: [{ apiGroups: [''], resources: ['pods'], verbs }] })
    const create = (body: object) => ask('POST', `${RBAC}/namespaces/default/roles`, { body, as: 'gina' })
    await eventually('the binding is known', async () => (await create(role('held', ['get']))).status !== 403)
    const refused = await create(role('more', ['get', 'delete']))
    expect([refused.status, refused.json.message]).to.deep.equal([
      403,
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "gina" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
    ])
    expect((await ask('PUT', `${RBAC}/namespaces/default/roles/held`, { body: role('held', ['*']), as: 'gina' })).status).to.equal(403)
    const binding = (name: string) => ({
      metadata: { name: `to-${name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    })
    const bound = async (name: string) =>
      (await ask('POST', `${RBAC}/namespaces/default/rolebindings`, { body: binding(name), as: 'gina' })).status
    expect(await bound('cluster-admin')).to.equal(403)
    expect(await bound('granter')).to.equal(201)
  })

  it('accepts its service account tokens, until the account is recreated', async () => {
    const body = { metadata: { name: 'bot' } }
    await ask('POST', '/api/v1/namespaces/default/serviceaccounts', { body })
    const token = await tokenOf('bot')
    const { json } = await ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: {}, token })
    expect(json.status.userInfo.username).to.equal('system:serviceaccount:default:bot')
    expect(json.status.userInfo.groups).to.deep.equal(['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'])
    expect((await ask('GET', '/.well-known/openid-configuration', { token })).json.issuer).to.equal('https://issuer.example')
    const keys = (await ask('GET', '/openid/v1/jwks', { token })).json.keys as { kid: string }[]
    const header = JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString())
    expect(keys.map(({ kid }) => kid)).to.deep.equal([header.kid])
    await ask('DELETE', '/api/v1/namespaces/default/serviceaccounts/bot')
    await ask('POST', '/api/v1/namespaces/default/serviceaccounts', { body })
    expect((await ask('GET', '/apis', { token })).status).to.equal(401)
  })

  it('rejects tokens whose secret was deleted', async () => {
    await ask('POST', '/api/v1/namespaces/default/secrets', { body: { metadata: { name: 's' } } })
    const token = await tokenOf('default', { kind: 'Secret', apiVersion: 'v1', name: 's' })
    expect((await ask('GET', '/apis', { token })).status).to.equal(200)
    await ask('DELETE', '/api/v1/namespaces/default/secrets/s')
    expect((await ask('GET', '/apis', { token })).status).to.equal(401)
    const { json } = await ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: { spec: { token } } })
    expect(json.status).to.deep.equal({ user: {}, error: 'service account token has been invalidated' })
  })

  it('adds a token to service account secrets, valid until the secret is deleted', async () => {
    const metadata = { name: 'long', annotations: { 'kubernetes.io/service-account.name': 'default' } }
    await ask('POST', '/api/v1/namespaces/default/secrets', { body: { metadata, type: 'kubernetes.io/service-account-token' } })
    let data: { token?: string; 'ca.crt'?: string } = {}
    await eventually('it is filled', async () => {
      data = (await ask('GET', '/api/v1/namespaces/default/secrets/long')).json.data ?? {}
      return data.token !== undefined
    })
    const token = Buffer.from(data.token ?? '', 'base64').toString()
    const { json } = await ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: {}, token })
    expect(json.status.userInfo.username).to.equal('system:serviceaccount:default:default')
    await ask('DELETE', '/api/v1/namespaces/default/secrets/long')
    expect((await ask('GET', '/apis', { token })).status).to.equal(401)
  })
})
