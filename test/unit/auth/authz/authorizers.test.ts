import { expect } from 'chai'
import { ANONYMOUS } from '../../../../src/auth/authn/authenticator.ts'
import {
  alwaysAllow,
  alwaysDeny,
  basicUser,
  joinAuthorizers,
  privileged,
  publicInformation,
} from '../../../../src/auth/authz/authorizers.ts'
import { forbidden } from '../../../../src/auth/authz/forbidden.ts'
import { resultAtOnce } from '../../../../src/lib/steps.ts'
import type { AuthorizationDecision, Authorizer } from '../../../../src/meta/authorizer.ts'
import { parseRequestInfo } from '../../../../src/server/filters/request-info.ts'

const signal = new AbortController().signal
const info = (method: string, path: string) => parseRequestInfo(method, path, () => new URLSearchParams())
const alice = { name: 'alice', groups: ['system:authenticated'] }
const master = { name: 'root', groups: ['system:masters'] }

describe('authorizers', () => {
  const all = joinAuthorizers([privileged, publicInformation])
  const open = joinAuthorizers([privileged, publicInformation, alwaysAllow])
  const cases: [string, typeof all, typeof alice, string, string, string][] = [
    ['system:masters may do everything', all, master, 'DELETE', '/api/v1/nodes/n', 'allow'],
    ['other users may not', all, alice, 'GET', '/api/v1/nodes/n', 'no opinion'],
    ['AlwaysAllow allows authenticated users', open, alice, 'GET', '/api/v1/nodes/n', 'allow'],
    ['AlwaysAllow rejects anonymous users', open, ANONYMOUS as typeof alice, 'GET', '/api/v1/nodes/n', 'no opinion'],
    ['AlwaysDeny', joinAuthorizers([privileged, alwaysDeny]), alice, 'GET', '/api/v1/nodes/n', 'no opinion'],
    ...['/healthz', '/livez', '/readyz', '/version', '/version/'].map(
      path =>
        [`anyone may read ${path}`, all, ANONYMOUS as typeof alice, 'GET', path, 'allow'] as [
          string,
          typeof all,
          typeof alice,
          string,
          string,
          string,
        ],
    ),
    ...['/healthz/etcd', '/readyz/ping', '/livez/', '/healthz//etcd', '//healthz', '/HEALTHZ', '/version/x'].map(
      path =>
        [`anonymous users may not read ${path}`, all, ANONYMOUS as typeof alice, 'GET', path, 'no opinion'] as [
          string,
          typeof all,
          typeof alice,
          string,
          string,
          string,
        ],
    ),
    ['the name of an object member is not a group', basicUser, alice, 'POST', '/apis/constructor/v1/selfsubjectreviews', 'no opinion'],
    ['health endpoints reject POST', all, ANONYMOUS as typeof alice, 'POST', '/healthz', 'no opinion'],
    [
      'authenticated users may create self reviews',
      basicUser,
      alice,
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      'allow',
    ],
    [
      'anonymous users may not',
      basicUser,
      ANONYMOUS as typeof alice,
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      'no opinion',
    ],
    [
      'authenticated users may not create reviews of others',
      basicUser,
      alice,
      'POST',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      'no opinion',
    ],
    ['metrics are not public', all, ANONYMOUS as typeof alice, 'GET', '/metrics', 'no opinion'],
  ]
  for (const [what, authorizer, user, method, path, wanted] of cases)
    it(what, async () => expect((await authorizer.authorize(user, info(method, path), signal)).decision).to.equal(wanted))
})

describe('union', () => {
  const saying = (decision: AuthorizationDecision): Authorizer => ({ authorize: async () => decision })
  const failing = (error: string) => saying({ decision: 'no opinion', reason: '', error })
  const cases: [title: string, authorizers: Authorizer[], decision: AuthorizationDecision][] = [
    [
      'reports the errors of authorizers without an opinion',
      [failing('a'), alwaysDeny, failing('b')],
      { decision: 'no opinion', reason: 'Everything is forbidden.', error: '[a, b]' },
    ],
    [
      'drops these errors if another authorizer has an opinion',
      [failing('a'), saying({ decision: 'allow', reason: 'r' })],
      { decision: 'allow', reason: 'r' },
    ],
    [
      'reports the error of an authorizer that denies',
      [failing('a'), saying({ decision: 'deny', reason: '', error: 'b' })],
      { decision: 'deny', reason: '', error: 'b' },
    ],
  ]
  for (const [title, authorizers, decision] of cases)
    it(title, async () => expect(await joinAuthorizers(authorizers).authorize(alice, info('GET', '/x'), signal)).to.deep.equal(decision))
})

describe('rulesFor', () => {
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }
  it('returns the rules of all authorizers', () => {
    const authorizer = joinAuthorizers([privileged, publicInformation, basicUser, alwaysDeny])
    const known = resultAtOnce(authorizer.rulesFor?.({ ...master, groups: [...master.groups, ...alice.groups] }, 'ns'))
    expect(known?.resourceRules[0]).to.deep.equal(everything)
    expect(known?.resourceRules).to.have.length(3)
    expect(known?.nonResourceRules[1]).to.deep.include({ verbs: ['get'] })
    expect([known?.incomplete, known?.errors]).to.deep.equal([false, []])
  })
  it('returns none for unauthenticated users', () => {
    const known = resultAtOnce(joinAuthorizers([privileged, basicUser, alwaysAllow]).rulesFor?.(ANONYMOUS, 'ns'))
    expect([known?.resourceRules, known?.nonResourceRules]).to.deep.equal([[], []])
  })
})

describe('forbidden', () => {
  const cases: [string, string, string, string][] = [
    [
      'GET',
      '/api/v1/namespaces/default/pods',
      '',
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      '/apis/apps/v1/deployments',
      '',
      'deployments.apps is forbidden: User "alice" cannot list resource "deployments" in API group "apps" at the cluster scope',
    ],
    [
      'GET',
      '/api/v1/namespaces/a/pods/p/log',
      '',
      'pods "p" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "a"',
    ],
    ['GET', '/metrics', '', 'forbidden: User "alice" cannot get path "/metrics"'],
    ['GET', '/a<b>', '', 'forbidden: User "alice" cannot get path "/a&lt;b&gt;"'],
    ['GET', '/metrics', 'no rule', 'forbidden: User "alice" cannot get path "/metrics": no rule'],
  ]
  for (const [method, path, reason, message] of cases)
    it(`${method} ${path}`, () => {
      const { status } = forbidden(alice, info(method, path), reason)
      expect(status.message).to.equal(message)
      expect(status).to.include({ code: 403, reason: 'Forbidden' })
    })
})
