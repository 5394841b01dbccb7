import { expect } from 'chai'
import { durationPerSeat, formatSeatSeconds, seatSecondsToFloat, seatsTimesDuration } from '../../../src/flow/seat-seconds.ts'

describe('seat-seconds', () => {
  const CASES: [work: number, float: number, text: string][] = [
    [1, 1e-8, '0.00000001ss'],
    [99_999_999, 0.99999999, '0.99999999ss'],
    [0, 0, '0.00000000ss'],
    [seatsTimesDuration(1, 1000), 1, '1.00000000ss'],
    [seatsTimesDuration(123, 100), 12.3, '12.30000000ss'],
    [seatsTimesDuration(1203, 10), 12.03, '12.03000000ss'],
    [seatsTimesDuration(-1, 3), -0.003, '-0.00300000ss'],
  ]
  for (const [work, float, text] of CASES)
    it(`prints ${text}`, () => {
      expect(formatSeatSeconds(work)).to.equal(text)
      expect(seatSecondsToFloat(work)).to.be.closeTo(float, 1e-12)
    })

  for (const [work, seats, milliseconds] of [
    [seatsTimesDuration(10, 1000), 1, 10_000],
    [seatsTimesDuration(1, 1000), 10, 100],
    [seatsTimesDuration(13, 5), 5, 13],
    [seatsTimesDuration(12, 0), 10, 0],
  ] as const)
    it(`computes ${milliseconds} ms of ${seats} seats`, () => expect(durationPerSeat(work, seats)).to.equal(milliseconds))
})
