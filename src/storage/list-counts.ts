/** What lists of one resource that the store answered have cost: plain numbers, raised where the work is done. */
export class ListCounts {
  lists = 0
  /** Objects read. */
  fetched = 0
  /** Objects that a predicate looked at; all of those that could be read. */
  evaluated = 0
  returned = 0
}
