import { expect } from 'chai'
import { ConsoleSessions, LINK_MS, SESSION_MS } from '../../../../src/server/console/console-sessions.ts'

const ANNA = { name: 'anna', groups: ['team'] }

describe('ConsoleSessions', () => {
  let now = 0
  let sessions: ConsoleSessions
  beforeEach(() => {
    now = 1_000
    sessions = new ConsoleSessions({ now: () => now })
  })

  const opened = (): string => sessions.open(sessions.link(ANNA).token)?.token ?? ''

  it('opens a session by a link once', () => {
    const { token, expires } = sessions.link(ANNA)
    expect(expires).to.equal(1_000 + LINK_MS)
    const session = sessions.open(token)
    expect(session?.user).to.equal(ANNA)
    expect(session?.expires).to.equal(1_000 + SESSION_MS)
    expect(sessions.userOf(session?.token ?? '')).to.equal(ANNA)
    expect(sessions.open(token)).to.equal(undefined)
  })

  it('creates tokens that are recognizable and random', () => {
    const tokens = [sessions.link(ANNA).token, sessions.link(ANNA).token, opened(), opened()]
    expect(new Set(tokens).size).to.equal(4)
    expect(tokens.map(token => sessions.isSession(token))).to.deep.equal([false, false, true, true])
    for (const token of tokens) expect(Buffer.from(token.replace(/^.*\./, ''), 'base64url')).to.have.lengthOf(32)
    for (const guess of ['', 'binnacle-console.', `${tokens[2]}x`, (tokens[2] ?? '').slice(0, -1)])
      expect(sessions.userOf(guess)).to.equal(undefined)
  })

  it('does not accept a session as a link, or a link as a session', () => {
    expect(sessions.userOf(sessions.link(ANNA).token)).to.equal(undefined)
    expect(sessions.open(opened())).to.equal(undefined)
  })

  it('expires links and sessions', () => {
    const session = opened()
    const { token } = sessions.link(ANNA)
    now += LINK_MS
    expect(sessions.open(token)).to.equal(undefined)
    now = 1_000 + SESSION_MS - 1
    expect(sessions.userOf(session)).to.equal(ANNA)
    now++
    expect(sessions.userOf(session)).to.equal(undefined)
  })

  it('closes a session', () => {
    const [one, other] = [opened(), opened()]
    expect(sessions.close(one)).to.equal(true)
    expect(sessions.close(one)).to.equal(false)
    expect(sessions.userOf(one)).to.equal(undefined)
    expect(sessions.userOf(other)).to.equal(ANNA)
  })

  it('drops the oldest beyond the limits', () => {
    const first = sessions.link(ANNA).token
    for (let i = 0; i < 16; i++) sessions.link(ANNA)
    expect(sessions.open(first)).to.equal(undefined)
    const oldest = opened()
    for (let i = 0; i < 64; i++) opened()
    expect(sessions.userOf(oldest)).to.equal(undefined)
  })
})
