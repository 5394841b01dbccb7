import { expect } from 'chai'
import { readCommandLine } from '../../../src/config/command-line.ts'
import { FlagError } from '../../../src/config/parse-flags.ts'

function ranges(...argv: string[]): unknown {
  const command = readCommandLine(argv)
  if (command.action !== 'serve') throw new Error(command.action)
  return command.config.controllers.podRanges
}

describe('ranges of the addresses of pods', () => {
  for (const { argv, expected } of [
    { argv: [], expected: [{ cidr: '10.64.0.0/10', mask: 24 }] },
    { argv: ['--allocate-node-cidrs=false', '--cluster-cidr=nonsense'], expected: [] },
    { argv: ['--cluster-cidr=10.244.0.0/16', '--node-cidr-mask-size=26'], expected: [{ cidr: '10.244.0.0/16', mask: 26 }] },
    { argv: ['--cluster-cidr=fd00::/56', '--node-cidr-mask-size-ipv6=72'], expected: [{ cidr: 'fd00::/56', mask: 72 }] },
    {
      argv: ['--cluster-cidr=10.244.0.0/16,fd00::/56', '--node-cidr-mask-size-ipv4=25'],
      expected: [
        { cidr: '10.244.0.0/16', mask: 25 },
        { cidr: 'fd00::/56', mask: 64 },
      ],
    },
  ])
    it(`are ${JSON.stringify(expected)} with ${argv.join(' ') || 'no flags'}`, () => {
      expect(ranges(...argv)).to.deep.equal(expected)
    })

  for (const { argv, error } of [
    { argv: ['--cluster-cidr=10.0.0.0'], error: '--cluster-cidr: "10.0.0.0" is not a CIDR' },
    { argv: ['--cluster-cidr=10.0.0.0/8,10.0.0.0/9'], error: '--cluster-cidr: two CIDRs must be of different families' },
    {
      argv: ['--cluster-cidr=10.0.0.0/8,fd00::/56,fd01::/56'],
      error: '--cluster-cidr: at most two CIDRs are allowed, one of each family; there are 3',
    },
    {
      argv: ['--cluster-cidr=10.0.0.0/16,fd00::/56', '--node-cidr-mask-size=24'],
      error: 'usage of --node-cidr-mask-size is not allowed with dual-stack clusters',
    },
    { argv: ['--node-cidr-mask-size=24', '--node-cidr-mask-size-ipv4=24'], error: 'is not allowed if --node-cidr-mask-size is set' },
    {
      argv: ['--node-cidr-mask-size-ipv6=64'],
      error: 'usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster',
    },
    {
      argv: ['--cluster-cidr=10.0.0.0/24', '--node-cidr-mask-size=16'],
      error: '--node-cidr-mask-size 16 must be between 24 and 32 for --cluster-cidr=10.0.0.0/24',
    },
    { argv: ['--cluster-cidr=fd00::/40'], error: '--node-cidr-mask-size-ipv6 64 must be between 40 and 56 for --cluster-cidr=fd00::/40' },
  ])
    it(`are rejected with ${argv.join(' ')}`, () => {
      expect(() => ranges(...argv)).to.throw(FlagError, error)
    })
})
