import { Socket } from 'node:net'
import { expect } from 'chai'
import {
  ANONYMOUS,
  type Authenticator,
  authenticated,
  authenticatorChain,
  type Identity,
} from '../../../../src/auth/authn/authenticator.ts'

const nobody = { headers: {}, socket: new Socket() }
const alice = { name: 'alice', groups: [] }
const knows =
  (identity: Identity): Authenticator =>
  () =>
    identity
const knowsLater =
  (identity: Identity): Authenticator =>
  () =>
    Promise.resolve(identity)

describe('firstOf', () => {
  const cases: [string, Authenticator[], boolean, Identity][] = [
    ['returns the anonymous user if no authenticator knows the credentials', [knows(undefined)], true, ANONYMOUS],
    ['returns undefined if anonymous requests are not allowed', [knows(undefined)], false, undefined],
    [
      'returns the user of the first authenticator that knows the credentials',
      [knows(undefined), knows(alice), knows('rejected')],
      true,
      alice,
    ],
    ['returns a rejection if no other authenticator knows the credentials', [knows('rejected'), knows(undefined)], true, 'rejected'],
    ['returns the user of an authenticator after a rejection', [knows('rejected'), knows(alice)], true, alice],
    ['waits for promises', [knowsLater('rejected'), knowsLater(undefined), knows(alice)], true, alice],
    ['returns a rejection from a promise', [knowsLater('rejected'), knowsLater(undefined)], true, 'rejected'],
  ]
  for (const [what, authenticators, anonymous, wanted] of cases)
    it(what, async () => expect(await authenticatorChain(authenticators, anonymous)(nobody)).to.deep.equal(wanted))
})

describe('authenticated', () => {
  it('adds the group system:authenticated', () => expect(authenticated(alice).groups).to.deep.equal(['system:authenticated']))
  it('adds nothing to system:anonymous, whatever its source', () => {
    expect(authenticated({ name: 'system:anonymous', groups: ['a'] }).groups).to.deep.equal(['a'])
  })
  it('adds it once', () => expect(authenticated(authenticated(alice)).groups).to.deep.equal(['system:authenticated']))
})
