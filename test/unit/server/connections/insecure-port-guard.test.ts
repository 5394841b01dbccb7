import { expect } from 'chai'
import { portRefusal } from '../../../../src/server/connections/insecure-port-guard.ts'

type Fields = readonly (readonly [name: string, value: string])[]

/** Headers as node:http returns them: the first Host only, other repeated fields joined. */
function request(fields: Fields, url = '/api/v1/secrets') {
  const headers: Record<string, string> = {}
  for (const [name, value] of fields) {
    const key = name.toLowerCase()
    if (headers[key] === undefined) headers[key] = value
    else if (key !== 'host') headers[key] += `, ${value}`
  }
  return { headers, rawHeaders: fields.flat(), url }
}

describe('refusalOf', () => {
  const served: readonly (readonly [title: string, fields: Fields, url?: string])[] = [
    ['a program', [['Host', 'localhost:8080']]],
    ['a program that names an address', [['Host', '127.0.0.1:8080']]],
    ['an address of the loopback network', [['Host', '127.8.9.10']]],
    ['the loopback address of IPv6', [['host', '[::1]:8080']]],
    ['HTTP/1.0 without a host', []],
    [
      'an address that the user has typed',
      [
        ['Host', 'LOCALHOST:1'],
        ['Sec-Fetch-Site', 'none'],
      ],
    ],
    ['the query of a path', [['Host', 'localhost']], '/api/v1/pods?continue=http://a'],
    ['the server itself', [['Host', 'localhost']], '*'],
  ]
  for (const [title, fields, url] of served) it(`serves ${title}`, () => expect(portRefusal(request(fields, url))).to.equal(undefined))

  const LOCAL = ['Host', 'localhost:8080'] as const
  const refused: readonly (readonly [title: string, fields: Fields, url?: string])[] = [
    ['a script of another site', [LOCAL, ['Origin', 'http://evil.example']]],
    ['a script in a sandbox', [LOCAL, ['Origin', 'null']]],
    ['a link or an image of another site', [LOCAL, ['Sec-Fetch-Site', 'cross-site']]],
    ['another port of this machine', [LOCAL, ['Sec-Fetch-Site', 'same-site']]],
    ['a repeated site header', [LOCAL, ['Sec-Fetch-Site', 'none'], ['Sec-Fetch-Site', 'cross-site']]],
    ['a name that was made to point here', [['Host', 'evil.example:8080']]],
    ['a second host that is foreign', [LOCAL, ['Host', 'evil.example']]],
    ['a first host that is foreign', [['Host', 'evil.example'], LOCAL]],
    ['a name that begins as an address does', [['Host', '127.0.0.1.evil.example']]],
    ['a name that begins as this machine’s', [['Host', 'localhost.evil.example']]],
    ['a name with a dot at its end', [['Host', 'evil.example.']]],
    ['the address of all interfaces', [['Host', '0.0.0.0:8080']]],
    ['a user in the host', [['Host', 'localhost:80@evil.example']]],
    ['an empty host', [['Host', '']]],
    ['a URL in place of the path', [LOCAL], 'http://evil.example/api/v1/secrets'],
  ]
  for (const [title, fields, url] of refused) it(`refuses ${title}`, () => expect(portRefusal(request(fields, url))).to.be.a('string'))
})
