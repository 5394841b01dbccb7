import { Socket } from 'node:net'
import { expect } from 'chai'
import { bearerToken, parseTokenFile, tokenAuthenticator } from '../../../../src/auth/authn/token-file.ts'

describe('parseTokenFile', () => {
  it('reads users, uids and groups', () => {
    const users = parseTokenFile('t1,alice,1\nt2,bob,2,"dev,ops"\r\n\nt3,carol,,solo\n', 'f')
    expect([...users]).to.deep.equal([
      ['t1', { name: 'alice', uid: '1', groups: ['system:authenticated'] }],
      ['t2', { name: 'bob', uid: '2', groups: ['dev', 'ops', 'system:authenticated'] }],
      ['t3', { name: 'carol', groups: ['solo', 'system:authenticated'] }],
    ])
  })
  it('reads doubled quotes', () => expect(parseTokenFile('"a""b",x,1', 'f').has('a"b')).to.equal(true))
  it('skips empty tokens', () => expect(parseTokenFile(',alice,1', 'f').size).to.equal(0))
  it('names a line with too few columns', () =>
    expect(() => parseTokenFile('a,b,c\nx,y', 'f')).to.throw("token file 'f' must have at least 3 columns (token, user name, user uid), found 2 in line 2"))
})

describe('bearerToken', () => {
  const cases: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['Bearer ', undefined],
    ['Basic abc', undefined],
    ['Bearer', undefined],
  ]
  for (const [header, token] of cases) it(String(header), () => expect(bearerToken(header)).to.equal(token))
})

describe('tokenAuthenticator', () => {
  const authenticate = tokenAuthenticator(parseTokenFile('good,alice,1', 'f'))
  const as = (authorization?: string) => authenticate({ headers: authorization === undefined ? {} : { authorization }, socket: new Socket() })
  it('knows a token of the file', () => expect(as('Bearer good')).to.include({ name: 'alice' }))
  it('rejects another', () => expect(as('Bearer bad')).to.equal('rejected'))
  it('has no opinion without one', () => expect(as()).to.equal(undefined))
})
