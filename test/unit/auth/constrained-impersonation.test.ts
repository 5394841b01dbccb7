import { expect } from 'chai'
import { type Impersonated, impersonateConstrained } from '../../../src/auth/constrained-impersonation.ts'
import type { User } from '../../../src/meta/context.ts'
import { resourceAttributes } from '../../../src/meta/request-attributes.ts'
import { allowingIf } from '../../support/authorizer.ts'

const signal = new AbortController().signal
const info = resourceAttributes({ verb: 'list', version: 'v1', resource: 'pods', namespace: 'ns' })
const agent: User = {
  name: 'system:serviceaccount:ns:agent',
  groups: [],
  extra: { 'authentication.kubernetes.io/node-name': ['n1'], other: ['x'] },
}
const alice: User = { name: 'alice', groups: [] }

const LIST = 'pods'

/**
 * The impersonated user, and the checks that were authorized (`verb resource/subresource name`), for a user with
 * `rights`.
 */
async function acting(user: User, headers: readonly string[], rights: readonly string[]) {
  const asked: string[] = []
  const seen = new Set<User>()
  const authorizer = allowingIf(({ verb, group, resource, subresource, name }, requester) => {
    const right = [verb, `${group === '' ? '' : `${group}/`}${resource}${subresource === '' ? '' : `/${subresource}`}`, name]
      .filter(part => part !== '')
      .join(' ')
    asked.push(right)
    seen.add(requester)
    return rights.includes(right)
  })
  const outcome: Partial<Impersonated> & { message?: string } = await impersonateConstrained(user, info, headers, authorizer, signal).catch(
    (error: Error) => ({
      message: error.message,
    }),
  )
  return { asked, seen: [...seen], ...outcome }
}

const as = (name: string, ...more: string[]): string[] => ['Impersonate-User', name, ...more]
const groups = (...names: string[]): string[] => names.flatMap(name => ['Impersonate-Group', name])
const OF = 'authentication.k8s.io'

describe('impersonateConstrained', () => {
  it('requires permission to impersonate the user, and to perform the request on its behalf', async () => {
    const both = [`impersonate-on:user-info:list ${LIST}`, `impersonate:user-info ${OF}/users bob`]
    expect(await acting(alice, as('bob'), both)).to.deep.include({
      user: { name: 'bob', groups: ['system:authenticated'] },
      constraint: 'impersonate:user-info',
      asked: both,
    })
    expect((await acting(alice, as('bob'), [both[1] ?? ''])).message).to.equal(
      'pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "ns"',
    )
  })

  it('accepts the legacy verb impersonate, without a constraint', async () => {
    const { user, constraint, asked } = await acting(alice, as('bob', ...groups('dev')), [
      'impersonate users bob',
      'impersonate groups dev',
    ])
    expect([user, constraint]).to.deep.equal([{ name: 'bob', groups: ['dev', 'system:authenticated'] }, undefined])
    expect(asked).to.deep.equal([`impersonate-on:user-info:list ${LIST}`, 'impersonate users bob', 'impersonate groups dev'])
  })

  it('checks each attribute, and all of them if there are many', async () => {
    const on = `impersonate-on:user-info:list ${LIST}`
    const name = `impersonate:user-info ${OF}/users bob`
    const extra = ['Impersonate-Extra-Acme.com%2fTeam', 'red', 'Impersonate-Uid', '7']
    const rights = [
      on,
      name,
      `impersonate:user-info ${OF}/uids 7`,
      `impersonate:user-info ${OF}/groups dev`,
      `impersonate:user-info ${OF}/userextras/acme.com/team red`,
    ]
    expect((await acting(alice, as('bob', ...groups('dev'), ...extra), rights)).asked).to.deep.equal(rights)
    const many = [on, name, `impersonate:user-info ${OF}/groups *`]
    expect((await acting(alice, as('bob', ...groups('a', 'b', 'c', 'd')), many)).asked).to.deep.equal(many)
  })

  it('never grants system:masters, even with permission for every group', async () => {
    const rights = [
      `impersonate-on:user-info:list ${LIST}`,
      `impersonate:user-info ${OF}/users bob`,
      `impersonate:user-info ${OF}/groups *`,
    ]
    const { message } = await acting(alice, as('bob', ...groups('a', 'b', 'c', 'system:masters')), rights)
    expect(message).to.match(/cannot impersonate:user-info resource "groups".*: impersonating the system:masters group is not allowed$/)
    expect((await acting(alice, as('bob', 'Impersonate-Extra-a', ''), rights)).message).to.match(
      /invalid key in extra is not allowed|empty string value/,
    )
  })

  it('impersonates service accounts and nodes by name only, with their implied groups', async () => {
    const account = await acting(alice, as('system:serviceaccount:ns:sa'), [
      `impersonate-on:serviceaccount:list ${LIST}`,
      `impersonate:serviceaccount ${OF}/serviceaccounts sa`,
    ])
    expect(account.user?.groups).to.deep.equal(['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'])
    const node = await acting(alice, as('system:node:n1'), [
      `impersonate-on:arbitrary-node:list ${LIST}`,
      `impersonate:arbitrary-node ${OF}/nodes n1`,
    ])
    expect(node.user).to.deep.equal({ name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] })
    expect((await acting(alice, as('system:node:n1', ...groups('dev')), [])).asked).to.deep.equal(['impersonate users system:node:n1'])
  })

  it('lets the service account of an agent impersonate its own node', async () => {
    const rights = [`impersonate-on:associated-node:list ${LIST}`, `impersonate:associated-node ${OF}/nodes *`]
    const own = await acting(agent, as('system:node:n1'), rights)
    expect([own.user?.name, own.constraint]).to.deep.equal(['system:node:n1', 'impersonate:associated-node'])
    expect(own.seen[0]?.extra).to.deep.equal({
      'authentication.kubernetes.io/associated-node-keys': ['authentication.kubernetes.io/node-name', 'other'],
    })
    expect((await acting(agent, as('system:node:n2'), rights)).message).to.match(/cannot impersonate-on:arbitrary-node:list/)
  })

  it('keeps the user without headers, and rejects attributes without a user', async () => {
    expect((await acting(alice, [], [])).user).to.equal(alice)
    expect((await acting(alice, groups('ops'), [])).message).to.equal(
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"ops"}, Extra:map[string][]string(nil)} without impersonating a user name',
    )
  })
})
