/** Work: hundred-millionths of a seat-second, as whole numbers, so that sums and differences are exact. */
export type SeatSeconds = number

const SCALE = 1e8
const PER_MILLISECOND = SCALE / 1000

/** The greatest that is exact: ten years of a seat, a day and a half of six hundred. */
export const MAX_SEAT_SECONDS: SeatSeconds = Number.MAX_SAFE_INTEGER

export const seatsTimesDuration = (seats: number, milliseconds: number): SeatSeconds => Math.round(seats * milliseconds * PER_MILLISECOND)

/** As a number of seat-seconds. */
export const seatSecondsToFloat = (work: SeatSeconds): number => work / SCALE

/** For how many milliseconds so many seats are busy with the work. */
export const durationPerSeat = (work: SeatSeconds, seats: number): number => work / seats / PER_MILLISECOND

/** `12.00300000ss` */
export function formatSeatSeconds(work: SeatSeconds): string {
  const whole = Math.trunc(work / SCALE)
  const sign = work < 0 ? '-' : ''
  return `${sign}${Math.abs(whole)}.${String(Math.abs(work - whole * SCALE)).padStart(8, '0')}ss`
}
