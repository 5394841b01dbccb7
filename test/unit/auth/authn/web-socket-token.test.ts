import { expect } from 'chai'
import { webSocketToken } from '../../../../src/auth/authn/web-socket-token.ts'

const encoded = (token: string | Buffer): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`
const of = (protocols: string | undefined, upgrade = 'websocket', connection = 'not, Upgrade') =>
  webSocketToken({ upgrade, connection, ...(protocols !== undefined && { 'sec-websocket-protocol': protocols }) })

describe('webSocketToken', () => {
  const cases: [name: string, protocols: string | undefined, wanted: ReturnType<typeof webSocketToken>][] = [
    ['a token before another subprotocol', `${encoded('a-token')}, v4.channel.k8s.io`, { token: 'a-token' }],
    ['a token after another subprotocol', `v4.channel.k8s.io,${encoded('ü')}`, { token: 'ü' }],
    ['no subprotocol', undefined, undefined],
    ['other subprotocols', 'v4.channel.k8s.io, binary.k8s.io', undefined],
    ['an empty token', `${encoded('')}, x`, undefined],
    ['an empty token alone', encoded(''), undefined],
    ['an incomplete base64url group', 'base64url.bearer.authorization.k8s.io.A, x', 'rejected'],
    ['a token alone', encoded('a'), 'rejected'],
    ['two tokens', `${encoded('a')}, ${encoded('b')}, x`, 'rejected'],
    ['invalid base64url', 'base64url.bearer.authorization.k8s.io.a+b=, x', 'rejected'],
    ['invalid UTF-8', `${encoded(Buffer.from([0xff]))}, x`, 'rejected'],
  ]
  for (const [name, protocols, wanted] of cases) it(name, () => expect(of(protocols)).to.deep.equal(wanted))
  it('ignores other upgrades', () => expect(of(`${encoded('a')}, x`, 'SPDY/3.1')).to.equal(undefined))
  it('ignores connections without upgrade', () => expect(of(`${encoded('a')}, x`, 'websocket', 'keep-alive')).to.equal(undefined))
})
