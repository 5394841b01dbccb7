import type { NetworkInterfaceInfo } from 'node:os'
import { expect } from 'chai'
import { advertisedAddress } from '../../../src/process/serving-files.ts'

const at = (address: string, internal: boolean): NetworkInterfaceInfo =>
  ({
    address,
    internal,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
    netmask: '',
    mac: '',
    cidr: null,
    scopeid: 0,
  }) as NetworkInterfaceInfo
const online = () => ({ lo: [at('127.0.0.1', true)], eth0: [at('2001:db8::5', false), at('192.0.2.5', false)] })
const offline = () => ({ lo: [at('127.0.0.1', true), at('::1', true)] })

describe('advertisedAddress', () => {
  const cases: [string, { advertiseAddress?: string; bindAddress: string }, typeof online | typeof offline, string][] = [
    ['is the advertised address', { advertiseAddress: '192.0.2.9', bindAddress: '127.0.0.1' }, online, '192.0.2.9'],
    ['is the bind address if none is advertised', { bindAddress: '127.0.0.1' }, online, '127.0.0.1'],
    ['is an address of the machine if the server listens on all', { bindAddress: '0.0.0.0' }, online, '192.0.2.5'],
    [
      'is an address of the machine if the advertised one is unspecified',
      { advertiseAddress: '0.0.0.0', bindAddress: '::' },
      online,
      '192.0.2.5',
    ],
    ['is the loopback if the machine has no other address', { bindAddress: '0.0.0.0' }, offline, '127.0.0.1'],
  ]
  for (const [what, { advertiseAddress, bindAddress }, interfaces, wanted] of cases)
    it(what, () => expect(advertisedAddress({ advertiseAddress, bindAddress }, interfaces as never)).to.equal(wanted))
})
