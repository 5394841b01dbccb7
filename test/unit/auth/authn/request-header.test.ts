import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { authenticatorChain, type Identity } from '../../../../src/auth/authn/authenticator.ts'
import { clientCertificate } from '../../../../src/auth/authn/client-certificate.ts'
import { anchors, PresentedCertificates } from '../../../../src/auth/authn/presented-certificates.ts'
import { isFieldOf, type RequestHeaderNames, requestHeader, userIn } from '../../../../src/auth/authn/request-header.ts'
import { createSecurePort } from '../../../../src/server/connections/listeners.ts'
import { ServingCertificates } from '../../../../src/server/tls/serving-certificates.ts'
import { CLIENT_AUTH, type Issued, issueCertificate, SERVER_AUTH } from '../../../support/certificates.ts'

const names = (over: Partial<RequestHeaderNames> = {}): RequestHeaderNames => ({
  username: ['X-Remote-User'],
  uid: [],
  group: [],
  extraPrefixes: [],
  ...over,
})
/** Headers as Node returns them: bytes as Latin-1. */
const raw = (headers: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(headers).flatMap(([name, values]) => values.flatMap(value => [name, Buffer.from(value).toString('latin1')]))
const AUTHENTICATED = 'system:authenticated'

// Cases of TestRequestHeader in k8s.io/apiserver, pkg/authentication/request/headerrequest.
describe('userIn', () => {
  const groups = { 'X-Remote-Group-1': ['one-a', 'one-b'], 'X-Remote-Group-2': ['two-a', 'two-b'] }
  const twoGroups = ['X-Remote-Group-1', 'X-Remote-Group-2']
  const extras = {
    'X-Remote-extra-1-key1': ['alfa', 'bravo'],
    'X-Remote-Extra-1-Key2': ['charlie', 'delta'],
    'X-Remote-Extra-1-': ['india', 'juliet'],
    'X-Remote-extra-2-': ['kilo', 'lima'],
    'X-Remote-extra-2-Key1': ['echo', 'foxtrot'],
    'X-Remote-Extra-2-key2': ['golf', 'hotel'],
  }
  const bob = { 'X-Remote-User': ['Bob'] }
  const cases: Readonly<Record<string, [RequestHeaderNames, Record<string, string[]>, object | undefined]>> = {
    empty: [names({ username: [] }), {}, undefined],
    'no match': [names(), {}, undefined],
    match: [names(), bob, { name: 'Bob', groups: [AUTHENTICATED] }],
    'exact match': [names(), { 'Prefixed-X-Remote-User-With-Suffix': ['Bob'], 'X-Remote-User-With-Suffix': ['Bob'] }, undefined],
    'first match': [
      names({ username: ['X-Remote-User', 'A-Second-X-Remote-User', 'Another-X-Remote-User'] }),
      {
        'X-Remote-User': ['', 'First header, second value'],
        'A-Second-X-Remote-User': ['Second header, first value', 'x'],
        'Another-X-Remote-User': ['y'],
      },
      { name: 'Second header, first value', groups: [AUTHENTICATED] },
    ],
    'any case': [names({ username: ['x-REMOTE-user'] }), bob, { name: 'Bob', groups: [AUTHENTICATED] }],
    'no groups': [names({ group: ['X-Remote-Group'] }), bob, { name: 'Bob', groups: [AUTHENTICATED] }],
    'all groups': [
      names({ group: twoGroups }),
      { ...bob, ...groups },
      { name: 'Bob', groups: ['one-a', 'one-b', 'two-a', 'two-b', AUTHENTICATED] },
    ],
    'groups in any case': [
      names({ group: ['X-REMOTE-Group'] }),
      { ...bob, 'X-Remote-Group': ['Users'] },
      { name: 'Bob', groups: ['Users', AUTHENTICATED] },
    ],
    'no uid': [names({ uid: ['X-Remote-Uid'] }), { ...bob, 'X-Remote-Uid-1': ['u'] }, { name: 'Bob', groups: [AUTHENTICATED] }],
    'first uid': [
      names({ uid: ['X-Remote-Uid-1', 'X-Remote-Uid-2'] }),
      { ...bob, 'X-Remote-Uid-1': ['u1'], 'X-Remote-Uid-2': ['u2'] },
      { name: 'Bob', uid: 'u1', groups: [AUTHENTICATED] },
    ],
    extra: [
      names({ extraPrefixes: ['X-Remote-Extra-1-', 'X-Remote-Extra-2-'] }),
      { ...bob, ...extras, 'X-Group-Bear': ['panda'] },
      {
        name: 'Bob',
        groups: [AUTHENTICATED],
        extra: {
          key1: ['alfa', 'bravo', 'echo', 'foxtrot'],
          key2: ['charlie', 'delta', 'golf', 'hotel'],
          '': ['india', 'juliet', 'kilo', 'lima'],
        },
      },
    ],
    'escaped extra': [
      names({ extraPrefixes: ['X-Remote-Extra-'] }),
      {
        ...bob,
        'X-Remote-Extra-Alpha': ['alphabetical'],
        'X-Remote-Extra-Percent%20encoded': ['percent encoded'],
        'X-Remote-Extra-Almost%zzpercent%xxencoded': ['not quite'],
        'X-Remote-Extra-Example.com%2fpercent%2520encoded': ['double'],
        'X-Remote-Extra-Example.com%2F%E4%BB%8A%E6%97%A5%E3%81%AF': ['今日は'],
        'X-Remote-Extra-__proto__': ['p'],
      },
      {
        name: 'Bob',
        groups: [AUTHENTICATED],
        extra: {
          alpha: ['alphabetical'],
          'percent encoded': ['percent encoded'],
          'almost%zzpercent%xxencoded': ['not quite'],
          'example.com/percent%20encoded': ['double'],
          'example.com/今日は': ['今日は'],
          ['__proto__']: ['p'],
        },
      },
    ],
  }
  for (const [what, [headers, fields, user]] of Object.entries(cases))
    it(what, () => expect(userIn(raw(fields), headers)).to.deep.equal(user))
})

describe('requestHeader', () => {
  let clients: Issued
  let proxies: Issued
  let server: https.Server
  const allowed: string[] = []
  let believed: readonly X509Certificate[] = []
  before(async () => {
    clients = await issueCertificate({ subject: [{ CN: ['clients'] }], isAuthority: true })
    proxies = await issueCertificate({ subject: [{ CN: ['proxies'] }], isAuthority: true })
    const serving = await issueCertificate({ subject: [{ CN: ['localhost'] }], issuer: clients, usages: [SERVER_AUTH] })
    const certificates = new PresentedCertificates()
    const now = () => Date.now()
    believed = [new X509Certificate(proxies.cert)]
    const own = [new X509Certificate(clients.cert)]
    const header = (allowedNames: readonly string[]) =>
      requestHeader({ names: names(), allowedNames, certificates, stands: anchors(() => believed), now })
    const users = clientCertificate(now, () => own, undefined, certificates)
    server = createSecurePort(
      (req, res) => {
        const identity = authenticatorChain(
          [header(allowed), users],
          true,
        )({ headers: req.headers, socket: req.socket, request: req }) as Identity
        const name = typeof identity === 'object' ? identity.name : String(identity)
        if ('writeHead' in res) res.writeHead(200, { 'Content-Length': Buffer.byteLength(name) }).end(name)
      },
      {
        certificates: new ServingCertificates({ cert: serving.cert, key: serving.key, clientCa: clients.cert, frontProxyCa: proxies.cert }),
        http2: 'own',
      },
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())

  const ask = async (issuer: Issued | undefined, user?: string): Promise<string> => {
    const shown =
      issuer && (await issueCertificate({ subject: [{ CN: ['front'] }, { O: ['system:masters'] }], issuer, usages: [CLIENT_AUTH] }))
    const { port } = server.address() as AddressInfo
    const headers = user === undefined ? {} : { 'X-Remote-User': user }
    const agent = new https.Agent({ rejectUnauthorized: false, ...(shown && { cert: shown.cert, key: shown.key }) })
    const [response] = await once(https.get({ agent, port, host: '127.0.0.1', headers }), 'response')
    let text = ''
    for await (const part of response) text += part
    return text
  }

  it('trusts only front proxies', async () => {
    expect(await ask(proxies, 'bob')).to.equal('bob')
    // Other certificates authenticate their own user, whatever the headers contain.
    expect(await ask(clients, 'bob')).to.equal('front')
    expect(await ask(undefined, 'bob')).to.equal('system:anonymous')
    const stranger = await issueCertificate({ subject: [{ CN: ['proxies'] }], isAuthority: true })
    expect(await ask(stranger, 'bob')).to.equal('rejected')
  })

  it("rejects a front proxy's own certificate without user headers", async () => expect(await ask(proxies)).to.equal('rejected'))

  it('trusts only the allowed names', async () => {
    allowed.push('other')
    expect(await ask(proxies, 'bob')).to.equal('rejected')
    expect(await ask(clients)).to.equal('front')
    allowed.push('front')
    expect(await ask(proxies, 'bob')).to.equal('bob')
  })

  it('rejects front proxies once their CA is removed', async () => {
    believed = []
    expect(await ask(proxies, 'bob')).to.equal('rejected')
  })
})

describe('isFieldOf', () => {
  const standard = { username: ['X-Remote-User'], uid: ['x-remote-uid'], group: ['X-Remote-Group'], extraPrefixes: ['X-Remote-Extra-'] }
  it('returns undefined if only standard names are configured', () => expect(isFieldOf(standard)).to.equal(undefined))
  it('matches names and prefixes in any spelling', () => {
    const isField = isFieldOf({
      username: ['X-Remote-User', 'X-Our-User'],
      uid: ['X-Our-Uid'],
      group: ['X-OUR-Group'],
      extraPrefixes: ['X-Our-Extra-'],
    })
    const hidden = [
      'x-our-user',
      'x-our-uid',
      'x-our-group',
      'x-our-extra-',
      'x-our-extra-a',
      'x_our_user',
      'x-our_uid',
      'x-our-groups',
      'x.our.extra.a',
    ]
    const fields = [...hidden, 'x-our-username', 'x-our-own', 'accept']
    expect(fields.filter(field => isField?.(field))).to.deep.equal(hidden)
  })
})
