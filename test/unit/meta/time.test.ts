import { expect } from 'chai'
import { formatDuration, parseDuration } from '../../../src/lib/duration.ts'
import { humanDuration } from '../../../src/lib/human-duration.ts'
import { age } from '../../../src/meta/age.ts'
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, printGoTime, timeMillis } from '../../../src/meta/time.ts'

describe('times', () => {
  const times: [text: string, seconds: string | undefined, micros: string | undefined][] = [
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000000Z'],
    ['2024-01-02T03:04:05.1234567Z', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.123456Z'],
    ['2024-01-02T03:04:05+02:00', '2024-01-02T01:04:05Z', '2024-01-02T01:04:05.000000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
    ['2023-02-29T00:00:00Z', undefined, undefined],
    ['2024-13-01T00:00:00Z', undefined, undefined],
    ['2024-01-02T24:00:00Z', undefined, undefined],
    ['2024-01-02T23:60:00Z', undefined, undefined],
    ['2024-01-02T23:59:60Z', undefined, undefined],
    ['2024-01-02', undefined, undefined],
    ['2024-01-02T03:04:05', undefined, undefined],
  ]
  for (const [text, seconds, micros] of times) {
    it(text, () => expect([canonicalTime(text), canonicalMicroTime(text)]).to.deep.equal([seconds, micros]))
  }

  it('are canonical on each day that a month has, and on no other', () => {
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++) {
        const text = `2023-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}T23:59:59Z`
        const date = new Date(Date.UTC(2023, month - 1, day))
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
        expect(canonicalTime(text), text).to.equal(exists ? text : undefined)
      }
  })

  it('are printed from the clock', () => {
    expect(formatTime(1704164645999)).to.equal('2024-01-02T03:04:05Z')
    expect(formatMicroTime(1704164645999)).to.equal('2024-01-02T03:04:05.999000Z')
    expect(timeMillis('2024-01-02T03:04:05.999Z')).to.equal(1704164645999)
    expect(timeMillis(null)).to.equal(undefined)
    expect(printGoTime('1999-01-01T00:00:00Z')).to.equal('1999-01-01 00:00:00 +0000 UTC')
  })
})

describe('durations', () => {
  const durations: Record<string, string> = {
    '0': '0s',
    '1h': '1h0m0s',
    '90s': '1m30s',
    '1.5s': '1.5s',
    '-1h2m3.5s': '-1h2m3.5s',
    '100ms': '100ms',
    '1.5us': '1.5µs',
    '7ns': '7ns',
    '1h1ns': '1h0m0.000000001s',
  }
  for (const [text, printed] of Object.entries(durations))
    it(`${text} → ${printed}`, () => expect(formatDuration(parseDuration(text))).to.equal(printed))

  const bad: Record<string, string> = {
    '': 'time: invalid duration ""',
    '1': 'time: missing unit in duration "1"',
    '1x': 'time: unknown unit "x" in duration "1x"',
    h: 'time: invalid duration "h"',
    '1e9s': 'time: unknown unit "e" in duration "1e9s"',
    '99999999h': 'time: invalid duration "99999999h"',
  }
  for (const [text, message] of Object.entries(bad))
    it(`rejects ${JSON.stringify(text)}`, () => expect(() => parseDuration(text)).to.throw(message))

  describe('human-readable durations', () => {
    const second = 1000
    const minute = 60 * second
    const hour = 60 * minute
    const day = 24 * hour
    const cases: [millis: number, text: string][] = [
      [-5 * second, '<invalid>'],
      [-second, '0s'],
      [0, '0s'],
      [119 * second, '119s'],
      [2 * minute, '2m'],
      [2 * minute + second, '2m1s'],
      [10 * minute + second, '10m'],
      [179 * minute, '179m'],
      [3 * hour, '3h'],
      [3 * hour + minute, '3h1m'],
      [8 * hour + minute, '8h'],
      [47 * hour, '47h'],
      [48 * hour, '2d'],
      [49 * hour, '2d1h'],
      [8 * day + hour, '8d'],
      [729 * day, '729d'],
      [730 * day, '2y'],
      [731 * day, '2y1d'],
      [8 * 365 * day + day, '8y'],
    ]
    for (const [millis, text] of cases) it(text, () => expect(humanDuration(millis)).to.equal(text))
  })

  it('prints the age of an object', () => {
    const now = Date.parse('2024-01-02T03:04:05Z')
    expect(age('2024-01-02T03:00:00Z', now)).to.equal('4m5s')
    expect(age(null, now)).to.equal('<unknown>')
    expect(age(undefined, now)).to.equal('<unknown>')
  })
})
