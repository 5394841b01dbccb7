import { expect } from 'chai'
import { compareSemanticVersions, parseSemanticVersion } from '../../../src/meta/semantic-version.ts'

describe('semantic versions', () => {
  for (const text of ['', '1', '1.2', '01.2.3', '1.2.3-', '1.2.3-01', 'v1.2.3', '1.2.3+', '1.2.3-a..b'])
    it(`rejects ${JSON.stringify(text)}`, () => expect(parseSemanticVersion(text)).to.equal(undefined))

  /** The order of semver.org, section 11, with further versions around it. */
  const ascending = [
    ...[
      '0.0.0',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.2',
    ],
    ...['1.1.0', '1.10.0', '2.0.0', '18446744073709551615.0.0'],
  ]
  it('orders versions by precedence', () => {
    const shuffled = [...ascending].sort()
    const order = (a: string, b: string): number => compareSemanticVersions(parseSemanticVersion(a)!, parseSemanticVersion(b)!)
    expect(shuffled.sort(order)).to.deep.equal(ascending)
    for (const text of ascending) expect(order(text, `${text}+build.7`)).to.equal(0)
  })
})
