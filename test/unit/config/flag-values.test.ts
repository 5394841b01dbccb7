import { expect } from 'chai'
import { flagValues } from '../../../src/config/flag-values.ts'
import { parseFlags } from '../../../src/config/parse-flags.ts'

describe('the values of flags', () => {
  const cases: [argument: string, name: string, value: string | undefined][] = [
    ['--v=4', 'v', '4'],
    ['--v=4', 'secure-port', '6443'],
    ['--v=4', 'data-dir', ''],
    ['--v=4', 'read-only', 'false'],
    ['--read-only', 'read-only', 'true'],
    ['--event-ttl=90m', 'event-ttl', '1h30m0s'],
    ['--goaway-chance=0.010', 'goaway-chance', '0.01'],
    [
      '--enable-admission-plugins=AlwaysPullImages,DenyServiceExternalIPs',
      'enable-admission-plugins',
      '[AlwaysPullImages,DenyServiceExternalIPs]',
    ],
    ['--v=4', 'etcd-servers', '[]'],
    ['--v=4', 'kubelet-preferred-address-types', '[Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP]'],
    ['--feature-gates=WatchList=false,RetryGenerateName=true', 'feature-gates', 'RetryGenerateName=true,WatchList=false'],
    ['--storage-backend=etcd3', 'storage-backend', 'etcd3'],
    ['--v=4', 'enable-garbage-collector', 'true'],
    ['--v=4', 'allow-privileged', undefined],
    ['--allow-privileged', 'allow-privileged', 'true'],
    ['--etcd-servers=https://root:secret@db:2379,http://b:1', 'etcd-servers', '[https://root:CLASSIFIED@db:2379,http://b:1]'],
    ['--etcd-servers=https://root:a@b:c@db:2379', 'etcd-servers', '[https://root:CLASSIFIED@db:2379]'],
    ['--service-account-jwks-uri=https://root:a,b@c@db/d@e', 'service-account-jwks-uri', 'https://root:CLASSIFIED@db/d@e'],
  ]
  for (const [argument, name, value] of cases)
    it(`${argument}: --${name} is ${value}`, () => {
      expect(flagValues(parseFlags([argument])).get(name)).to.equal(value)
    })
})
