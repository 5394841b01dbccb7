import { Socket } from 'node:net'
import { expect } from 'chai'
import { ANONYMOUS, type Authenticator, authenticated, firstOf, type Identity } from '../../../../src/auth/authn/authenticator.ts'

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
    ['nobody knows, anonymous allowed', [knows(undefined)], true, ANONYMOUS],
    ['nobody knows, anonymous refused', [knows(undefined)], false, undefined],
    ['the first that knows decides', [knows(undefined), knows(alice), knows('rejected')], true, alice],
    ['a rejection is final if no other knows', [knows('rejected'), knows(undefined)], true, 'rejected'],
    ['a later one may still know', [knows('rejected'), knows(alice)], true, alice],
    ['promises are waited for', [knowsLater('rejected'), knowsLater(undefined), knows(alice)], true, alice],
    ['a rejection by promise is final, too', [knowsLater('rejected'), knowsLater(undefined)], true, 'rejected'],
  ]
  for (const [what, authenticators, anonymous, wanted] of cases)
    it(what, async () => expect(await firstOf(authenticators, anonymous)(nobody)).to.deep.equal(wanted))
})

describe('authenticated', () => {
  it('adds the group system:authenticated', () => expect(authenticated(alice).groups).to.deep.equal(['system:authenticated']))
  it('adds nothing to system:anonymous, whatever its source', () => {
    expect(authenticated({ name: 'system:anonymous', groups: ['a'] }).groups).to.deep.equal(['a'])
  })
  it('adds it once', () => expect(authenticated(authenticated(alice)).groups).to.deep.equal(['system:authenticated']))
})
