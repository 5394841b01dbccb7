import { expect } from 'chai'
import { dialError } from '../../../src/lib/dial-error.ts'
import { checkServerName } from '../../../src/lib/server-name.ts'

/** Source of the texts: HostnameError of crypto/x509. */
describe('checkServerName', () => {
  const text = (host: string, CN: string, subjectaltname?: string): string | undefined => {
    const error = checkServerName(host, { subject: { CN }, ...(subjectaltname !== undefined && { subjectaltname }) } as Parameters<
      typeof checkServerName
    >[1])
    return error && dialError(error, 'h:1').message.replace('tls: failed to verify certificate: x509: ', '')
  }
  for (const [host, CN, names, expected] of [
    ['hook.ns.svc', 'x', 'DNS:hook.ns.svc', undefined],
    ['hook.ns.svc', 'x', 'DNS:*.ns.svc', undefined],
    ['127.0.0.1', 'x', 'DNS:a, IP Address:127.0.0.1', undefined],
    ['hook.ns.svc', 'hook.ns.svc', undefined, 'certificate relies on legacy Common Name field, use SANs instead'],
    ['hook.ns.svc', 'other', undefined, 'certificate is not valid for any names, but wanted to match hook.ns.svc'],
    ['hook.ns.svc', 'hook.ns.svc', 'IP Address:127.0.0.1', 'certificate is not valid for any names, but wanted to match hook.ns.svc'],
    ['hook.ns.svc', 'hook.ns.svc', 'DNS:a, DNS:b', 'certificate is valid for a, b, not hook.ns.svc'],
    ['127.0.0.1', '127.0.0.1', 'DNS:a', "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"],
  ] as const)
    it(`${host} for CN=${CN}, ${names ?? 'no names'}: ${expected ?? 'matches'}`, () => expect(text(host, CN, names)).to.equal(expected))
})
