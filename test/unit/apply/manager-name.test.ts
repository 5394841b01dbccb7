import { expect } from 'chai'
import { managerFromUserAgent } from '../../../src/apply/manager-name.ts'

describe('names of field managers', () => {
  const agents: [agent: string, name: string][] = [
    ['kubectl/v1.33.0 (linux/amd64) kubernetes/abc', 'kubectl'],
    ['curl', 'curl'],
    ['', ''],
    ['/x', ''],
    ['my agent\u0007 é/1', 'my agent é'],
    ['\u00a0\u200bx', 'x'],
    ['a'.repeat(130), 'a'.repeat(128)],
    [`${'a'.repeat(127)}éb`, 'a'.repeat(127)],
  ]
  for (const [agent, name] of agents)
    it(`are derived from ${JSON.stringify(agent).slice(0, 40)}`, () => expect(managerFromUserAgent(agent)).to.equal(name))
})
