import { expect } from 'chai'
import { impersonateConstrained } from '../../../src/auth/constrained-impersonation.ts'
import { asksImpersonation, impersonate } from '../../../src/auth/impersonation.ts'
import type { Authorizer } from '../../../src/meta/authorizer.ts'
import type { RequestAttributes, User } from '../../../src/meta/context.ts'
import { resourceAttributes } from '../../../src/meta/request-attributes.ts'
import { StatusError } from '../../../src/meta/status.ts'
import { allowingIf } from '../../support/authorizer.ts'

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
  it('returns an authenticated user', async () => {
    const { as, asked } = setup()
    expect(await as('Impersonate-User', 'alice')).to.deep.equal({ name: 'alice', groups: ['system:authenticated'] })
    expect(asked).to.deep.equal(['impersonate /users/  alice'])
  })

  it('accepts groups with commas, UID and extra', async () => {
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

  it('decodes UTF-8', async () => {
    const { as, asked } = setup()
    const sent = (text: string): string => Buffer.from(text).toString('latin1')
    const user = await as('Impersonate-User', sent('jürgen'), 'Impersonate-Group', sent('Ärzte'), 'Impersonate-Extra-a', sent('é'))
    expect(user).to.deep.equal({ name: 'jürgen', groups: ['Ärzte', 'system:authenticated'], extra: { a: ['é'] } })
    expect(asked[0]).to.equal('impersonate /users/  jürgen')
  })

  it('adds the groups of a service account', async () => {
    const { as, asked } = setup()
    const user = await as('Impersonate-User', 'system:serviceaccount:ns:sa')
    expect(user.groups).to.deep.equal(['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'])
    expect(asked).to.deep.equal(['impersonate /serviceaccounts/ ns sa'])
  })

  it('leaves the anonymous user unauthenticated', async () => {
    expect((await setup().as('Impersonate-User', 'system:anonymous')).groups).to.deep.equal(['system:unauthenticated'])
  })

  it('throws 403 unless each attribute is allowed', async () => {
    const error = await setup(info => info.resource !== 'groups')
      .as('Impersonate-User', 'alice', 'Impersonate-Group', 'ops')
      .catch((e: unknown) => e)
    expect(error).to.be.instanceOf(StatusError)
    expect((error as StatusError).message).to.equal(
      'groups "ops" is forbidden: User "admin" cannot impersonate resource "groups" in API group "" at the cluster scope',
    )
  })

  describe('requires a user', () => {
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
        expect(error).to.be.instanceOf(StatusError)
        expect(error).to.include({ code: 400, message: `requested ${printed} without impersonating a user` })
        expect(asked).to.deep.equal([])
      })
  })

  describe("returns the request's user if no header is set", () => {
    const cases: [string, string[]][] = [
      ['an unknown header', ['Impersonate-X', 'y']],
      [
        'several unknown headers',
        ['Impersonate-', 'a', 'Impersonate-Users', 'bob', 'Impersonate-Groups', 'system:masters', 'Impersonate-Extra', 'c'],
      ],
      ['an empty user', ['Impersonate-User', '']],
      ['an empty uid', ['Impersonate-Uid', '']],
      ['two users of which the first is empty', ['Impersonate-User', '', 'Impersonate-User', 'alice']],
    ]
    for (const [what, headers] of cases)
      it(what, async () => {
        const { as, asked } = setup()
        expect(await as(...headers)).to.equal(admin)
        expect(asked).to.deep.equal([])
      })
  })

  it('treats a name that is not a valid service account as a user', async () => {
    const { as, asked } = setup()
    await as('Impersonate-User', 'system:serviceaccount:Not_A_Namespace:sa')
    await as('Impersonate-User', 'system:serviceaccount:ns:sa:more')
    expect(asked).to.deep.equal([
      'impersonate /users/  system:serviceaccount:Not_A_Namespace:sa',
      'impersonate /users/  system:serviceaccount:ns:sa:more',
    ])
  })

  it('supports extra keys that are properties of Object.prototype', async () => {
    const { as } = setup()
    const { extra } = await as('Impersonate-User', 'alice', 'Impersonate-Extra-__proto__', 'v')
    expect(Object.entries(extra ?? {})).to.deep.equal([['__proto__', ['v']]])
  })
})

describe('asksImpersonation', () => {
  it('detects any impersonation header', () => {
    expect(asksImpersonation({ 'impersonate-extra-x': 'y' })).to.equal(true)
    expect(asksImpersonation({ accept: '*/*' })).to.equal(false)
  })
})

/**
 * User (`NAME GROUP,…`), impersonated user (`USER GROUP,… UID KEY=VALUE,…`, `-` for none), and the user with whom the
 * request continues, or its error. The cases of TestImpersonationFilter in pkg/endpoints/filters/impersonation of
 * k8s.io/apiserver 1.36, which hold with and without the gate ConstrainedImpersonation.
 */
const UPSTREAM = `
tester - | - - - - | tester - - -
tester - | anyone - - - | 403
tester - | - some-group - - | 400
tester - | - - - scopes=scope-a | 400
tester - | - - some-uid - | 400
dev wheel | system:admin some-group - - | 403
dev wheel,group-impersonater | system:admin some-group - - | system:admin some-group,system:authenticated - -
dev wheel | system:admin some-group - scopes=scope-a | 403
dev wheel,extra-setter-project | system:admin some-group - scopes=scope-a | 403
dev wheel,extra-setter-particular-scopes | system:admin some-group - scopes=scope-a,scopes=scope-b | 403
dev wheel,extra-setter-scopes | system:admin - - scopes=scope-a,scopes=scope-b | system:admin system:authenticated - scopes=scope-a,scopes=scope-b
dev wheel,escaped-scopes | system:admin - - example.com%2fescaped%e1%9b%84scopes=scope-a | system:admin system:authenticated - example.com/escapedᛄscopes=scope-a
dev wheel,almost-escaped-scopes | system:admin - - almost%zzpercent%xxencoded=scope-a | system:admin system:authenticated - almost%zzpercent%xxencoded=scope-a
dev regular-impersonater | tester - - - | tester system:authenticated - -
dev sa-impersonater | tester - - - | 403
dev sa-impersonater | system:serviceaccount:foo:default - - - | system:serviceaccount:foo:default system:serviceaccounts,system:serviceaccounts:foo,system:authenticated - -
system:admin - | system:anonymous - - - | system:anonymous system:unauthenticated - -
system:admin - | unknown system:unauthenticated - - | unknown system:unauthenticated - -
system:admin - | unknown system:authenticated - - | unknown system:authenticated - -
dev wheel,group-impersonater | system:admin some-group,system:authenticated - - | system:admin some-group,system:authenticated - -
system:admin - | system:anonymous system:unauthenticated - - | system:anonymous system:unauthenticated - -
dev everything-impersonater | tester - some-uid - | tester system:authenticated some-uid -
dev everything-impersonater | tester - disallowed-uid - | 403
dev everything-impersonater | tester system:authenticated some-uid scopes=scope-a,scopes=scope-b | tester system:authenticated some-uid scopes=scope-a,scopes=scope-b
`

/**
 * Users and attributes that the test's authorizer allows to impersonate, by group: `RESOURCE.GROUP/SUBRESOURCE NAME`.
 */
const RIGHTS: Readonly<Record<string, RegExp>> = {
  wheel: /^users\. /,
  'sa-impersonater': /^serviceaccounts\. /,
  'regular-impersonater': /^users\. /,
  'group-impersonater': /^groups\. /,
  'extra-setter-scopes': /^userextras\.authentication\.k8s\.io\/scopes /,
  'escaped-scopes': /./,
  'almost-escaped-scopes': /./,
  'extra-setter-particular-scopes': /^userextras\.authentication\.k8s\.io\/scopes scope-a$/,
  'extra-setter-project': /^userextras\.authentication\.k8s\.io\/project /,
  'everything-impersonater': /^(users\. |uids\.authentication\.k8s\.io some-uid$|groups\. |userextras\.authentication\.k8s\.io\/scopes )/,
}

describe("impersonation, upstream's test cases", () => {
  const listOf = (text: string): string[] => (text === '-' ? [] : text.split(','))
  const authorizer = allowingIf(({ verb, group, resource, subresource, name }, { name: asker, groups }) => {
    const part = `${resource}.${group}${subresource === '' ? '' : `/${subresource}`} ${name}`
    return asker === 'system:admin' || (verb === 'impersonate' && groups.some(each => RIGHTS[each]?.test(part)))
  })
  const info = resourceAttributes({ verb: 'get', version: 'v1', resource: 'pods' })
  const shown = ({ name, groups, uid = '-', extra = {} }: User): string => {
    const extras = Object.entries(extra).flatMap(([key, values]) => values.map(value => `${key}=${value}`))
    return [name, groups.join(',') || '-', uid, extras.join(',') || '-'].join(' ')
  }
  const codeOf = (error: unknown): string => (error instanceof StatusError ? String(error.code) : `${error}`)

  for (const line of UPSTREAM.trim().split('\n'))
    it(line, async () => {
      const [asker = '', wanted = '', outcome = ''] = line.split(' | ')
      const [name = '', groups = ''] = asker.split(' ')
      const [user = '', wantedGroups = '', uid = '', extras = ''] = wanted.split(' ')
      const raw = [
        ...(user === '-' ? [] : ['Impersonate-User', user]),
        ...listOf(wantedGroups).flatMap(group => ['Impersonate-Group', group]),
        ...(uid === '-' ? [] : ['Impersonate-Uid', uid]),
        ...listOf(extras).flatMap(pair => [`Impersonate-Extra-${pair.slice(0, pair.indexOf('='))}`, pair.slice(pair.indexOf('=') + 1)]),
      ]
      const requester = { name, groups: listOf(groups) }
      const plain = await impersonate(requester, raw, authorizer, signal).then(shown, codeOf)
      const constrained = await impersonateConstrained(requester, info, raw, authorizer, signal).then(({ user: as }) => shown(as), codeOf)
      expect({ plain, constrained }).to.deep.equal({ plain: outcome, constrained: outcome })
    })
})
