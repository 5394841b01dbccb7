import { expect } from 'chai'
import { asksImpersonation, impersonate } from '../../../src/auth/impersonation.ts'
import type { Authorizer } from '../../../src/meta/authorizer.ts'
import type { RequestAttributes } from '../../../src/meta/context.ts'
import { PlainTextError } from '../../../src/meta/plain-text-error.ts'
import { StatusError } from '../../../src/meta/status.ts'

const signal = new AbortController().signal
const admin = { name: 'admin', groups: ['system:masters'] }

function setup(may: (info: RequestAttributes) => boolean = () => true) {
  const asked: string[] = []
  const authorizer: Authorizer = {
    authorize: async (_user, info) => {
      asked.push(`${info.verb} ${info.group}/${info.resource}/${info.subresource} ${info.namespace} ${info.name}`)
      return { decision: may(info) ? 'allow' : 'no opinion', reason: '' }
    },
  }
  const as = (...raw: string[]) => {
    return impersonate(admin, raw, authorizer, signal)
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

  describe('needs a user', () => {
    const cases: [string, string[], string][] = [
      ['a group alone', ['Impersonate-Group', 'ops'], '[{Group  ops    }]'],
      ['a group beside an empty user', ['Impersonate-User', '', 'Impersonate-Group', 'ops'], '[{Group  ops    }]'],
      ['an empty group', ['Impersonate-Group', ''], '[{Group      }]'],
      ['a uid', ['Impersonate-Uid', '7'], '[{UID  7  authentication.k8s.io/v1  }]'],
      ['something extra', ['Impersonate-Extra-A', 'b'], '[{UserExtra  b  authentication.k8s.io/v1  a}]'],
    ]
    for (const [what, headers, printed] of cases)
      it(what, async () => {
        const { as, asked } = setup()
        const error = await as(...headers).catch((e: unknown) => e)
        expect(error).to.be.instanceOf(PlainTextError)
        expect(error).to.include({ code: 500, message: `requested ${printed} without impersonating a user` })
        expect(asked).to.deep.equal([])
      })
  })

  describe('leaves the user as it is where the headers say nothing', () => {
    const cases: [string, string[]][] = [
      ['a header that is not known', ['Impersonate-X', 'y']],
      ['several of them', ['Impersonate-', 'a', 'Impersonate-Users', 'bob', 'Impersonate-Groups', 'system:masters', 'Impersonate-Extra', 'c']],
      ['an empty user', ['Impersonate-User', '']],
      ['an empty uid', ['Impersonate-Uid', '']],
      ['an empty first of two users', ['Impersonate-User', '', 'Impersonate-User', 'alice']],
    ]
    for (const [what, headers] of cases)
      it(what, async () => {
        const { as, asked } = setup()
        expect(await as(...headers)).to.equal(admin)
        expect(asked).to.deep.equal([])
      })
  })

  it('takes a name that is no service account’s for a user’s', async () => {
    const { as, asked } = setup()
    await as('Impersonate-User', 'system:serviceaccount:Not_A_Namespace:sa')
    await as('Impersonate-User', 'system:serviceaccount:ns:sa:more')
    expect(asked).to.deep.equal(['impersonate /users/  system:serviceaccount:Not_A_Namespace:sa', 'impersonate /users/  system:serviceaccount:ns:sa:more'])
  })

  it('keeps keys that mean something to an object', async () => {
    const { as } = setup()
    const { extra } = await as('Impersonate-User', 'alice', 'Impersonate-Extra-__proto__', 'v')
    expect(Object.entries(extra ?? {})).to.deep.equal([['__proto__', ['v']]])
  })
})

describe('asksImpersonation', () => {
  it('sees any of its headers', () => {
    expect(asksImpersonation({ 'impersonate-extra-x': 'y' })).to.equal(true)
    expect(asksImpersonation({ accept: '*/*' })).to.equal(false)
  })
})
