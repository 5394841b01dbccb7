import { expect } from 'chai'
import { fileTokens, parseTokenFile } from '../../../../src/auth/authn/token-file.ts'

describe('parseTokenFile', () => {
  it('parses users, UIDs and groups', () => {
    const users = parseTokenFile('t1,alice,1\nt2,bob,2,"dev,ops"\r\n\nt3,carol,,solo\n', 'f')
    expect([...users]).to.deep.equal([
      ['t1', { name: 'alice', uid: '1', groups: ['system:authenticated'] }],
      ['t2', { name: 'bob', uid: '2', groups: ['dev', 'ops', 'system:authenticated'] }],
      ['t3', { name: 'carol', groups: ['solo', 'system:authenticated'] }],
    ])
  })
  it('parses doubled quotes', () => expect(parseTokenFile('"a""b",x,1', 'f').has('a"b')).to.equal(true))
  it('skips empty tokens', () => expect(parseTokenFile(',alice,1', 'f').size).to.equal(0))
  it('names a line with too few columns', () =>
    expect(() => parseTokenFile('a,b,c\nx,y', 'f')).to.throw(
      "token file 'f' must have at least 3 columns (token, user name, user uid), found 2 in line 2",
    ))
})

describe('fileTokens', () => {
  const tokens = fileTokens(parseTokenFile('good,alice,1', 'f'), ['here'])
  it('accepts a token of the file', () => expect(tokens('good', ['here', 'there'])).to.deep.include({ audiences: ['here'] }))
  it('ignores other tokens', () => expect(tokens('bad', ['here'])).to.equal(undefined))
  it('accepts only audiences of this server', () => expect(tokens('good', ['there'])).to.equal(undefined))
})
