/** Whether the minor release 1.x is in ranges as the reference writes them: `1.24-1.26,1.28`. */
export const isIn = (ranges: string, minor: number): boolean =>
  ranges.split(',').some(range => {
    const [first = '', last = first] = range.split('-').map(release => release.slice(2))
    return Number(first) <= minor && minor <= Number(last)
  })
