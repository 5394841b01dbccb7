import { expect } from 'chai'
import { asksImpersonation, impersonate } from '../../../src/auth/impersonation.ts'
import type { Authorizer } from '../../../src/meta/authorizer.ts'
import type { RequestInfo } from '../../../src/meta/context.ts'
import { StatusError } from '../../../src/meta/status.ts'

const signal = new AbortController().signal
const admin = { name: 'admin', groups: ['system:masters'] }

function setup(may: (info: RequestInfo) => boolean = () => true) {
  const asked: string[] = []
  const authorizer: Authorizer = {
    authorize: async (_user, info) => {
      asked.push(`${info.verb} ${info.group}/${info.resource}/${info.subresource} ${info.namespace} ${info.name}`)
      return { decision: may(info) ? 'allow' : 'no opinion', reason: '' }
    },
  }
  const as = (...raw: string[]) => {
    const headers: Record<string, string> = {}
    for (let i = 0; i < raw.length; i += 2) headers[(raw[i] ?? '').toLowerCase()] = raw[i + 1] ?? ''
    return impersonate(admin, headers, raw, authorizer, signal)
  }
  return { as, asked }
}

describe('impersonate', () => {
  it('acts as a user, who then is authenticated', async () => {
    const { as, asked } = setup()
    expect(await as('Impersonate-User', 'alice')).to.deep.equal({ name: 'alice', groups: ['system:authenticated'] })
    expect(asked).to.deep.equal(['impersonate /users/  alice'])
  })

  it('takes groups with commas, uid and extra', async () => {
    const { as, asked } = setup()
    const user = await as(
      'Impersonate-User',
      'alice',
      'Impersonate-Group',
      'a,b',
      'Impersonate-Group',
      'c',
      'Impersonate-Uid',
      '7',
      'Impersonate-Extra-Some%2fKey',
      'v',
    )
    expect(user).to.deep.equal({ name: 'alice', groups: ['a,b', 'c', 'system:authenticated'], uid: '7', extra: { 'some/key': ['v'] } })
    expect(asked).to.include.members([
      'impersonate /groups/  a,b',
      'impersonate authentication.k8s.io/userextras/some/key  v',
      'impersonate authentication.k8s.io/uids/  7',
    ])
  })

  it('knows the groups of a service account', async () => {
    const { as, asked } = setup()
    const user = await as('Impersonate-User', 'system:serviceaccount:ns:sa')
    expect(user.groups).to.deep.equal(['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'])
    expect(asked).to.deep.equal(['impersonate /serviceaccounts/ ns sa'])
  })

  it('leaves the anonymous user unauthenticated', async () => {
    expect((await setup().as('Impersonate-User', 'system:anonymous')).groups).to.deep.equal(['system:unauthenticated'])
  })

  it('is forbidden unless each part is allowed', async () => {
    const error = await setup(info => info.resource !== 'groups')
      .as('Impersonate-User', 'alice', 'Impersonate-Group', 'ops')
      .catch((e: unknown) => e)
    expect(error).to.be.instanceOf(StatusError)
    expect((error as StatusError).message).to.equal(
      'groups "ops" is forbidden: User "admin" cannot impersonate resource "groups" in API group "" at the cluster scope',
    )
  })

  it('needs a user', async () => {
    const error = await setup()
      .as('Impersonate-Group', 'ops')
      .catch((e: unknown) => e)
    expect((error as StatusError).code).to.equal(400)
  })
})

describe('asksImpersonation', () => {
  it('sees any of its headers', () => {
    expect(asksImpersonation({ 'impersonate-extra-x': 'y' })).to.equal(true)
    expect(asksImpersonation({ accept: '*/*' })).to.equal(false)
  })
})
