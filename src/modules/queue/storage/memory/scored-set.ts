import { assert } from '#platform/assert.ts';

/**
 * Members in the order of (score, member), as a Redis sorted set has them, with rank and member-at-rank in O(log n) also
 * with a million members. The caller knows each member's score, so no index by member is kept here.
 */
export interface ScoredSet {
  size(): number;
  add(score: number, member: string): void;
  delete(score: number, member: string): void;
  has(score: number, member: string): boolean;
  first(): ScoredMember | null;
  /** 0 for the first. */
  rank(score: number, member: string): number;
  at(rank: number): ScoredMember;
  /** Who has exactly this score; the first of them. */
  holder(score: number): string | null;
  /** How many have this score or a smaller one. */
  countUpTo(score: number): number;
  /** The first members with this score or a smaller one. */
  upTo(score: number, limit: number): ScoredMember[];
}

export interface ScoredMember {
  readonly score: number;
  readonly member: string;
}

interface Block {
  readonly scores: number[];
  readonly members: string[];
}

/**
 * Sorted blocks of bounded size under a Fenwick tree of their sizes: two plain arrays per block take a fifth of the memory
 * of a skip list's nodes, and moving half a block is quicker than following its pointers.
 */
const blockMax = 512;
/** Neighbours that fit into half a block together are joined, so that deletions leave no crumbs. */
const joinedMax = blockMax / 2;

export function createScoredSet(): ScoredSet {
  const blocks: Block[] = [];
  // The first score of each block, side by side: a search that looks into the blocks waits for memory at every step.
  const firsts: number[] = [];
  let total = 0;
  // sizes[i] sums a range of block sizes as Fenwick trees do; built anew, when next asked, after blocks came or went.
  let sizes: number[] | null = [0];

  return {
    size: () => total,

    add(score, member) {
      if (blocks.length === 0) {
        total += 1;
        return insertBlock(0, { scores: [score], members: [member] });
      }
      const index = blockOf(score, member);
      const block = blockAt(index);
      const offset = offsetIn(block, score, member);
      assert(!isAt(block, offset, score, member), `${member} is in the set already`);
      total += 1;
      block.scores.splice(offset, 0, score);
      block.members.splice(offset, 0, member);
      firsts[index] = firstScore(block);
      if (block.scores.length <= blockMax) return resize(index, 1);
      // A full last block that grew at its end stays full: lines grow at their end, and half-empty blocks would be waste.
      const kept = index === blocks.length - 1 && offset === blockMax ? blockMax : blockMax / 2;
      insertBlock(index + 1, { scores: block.scores.splice(kept), members: block.members.splice(kept) });
    },

    delete(score, member) {
      const { index, block, offset } = find(score, member);
      block.scores.splice(offset, 1);
      block.members.splice(offset, 1);
      total -= 1;
      resize(index, -1);
      if (block.scores.length === 0) return removeBlock(index);
      firsts[index] = firstScore(block);
      joinWithNext(index);
    },

    has(score, member) {
      if (blocks.length === 0) return false;
      const block = blockAt(blockOf(score, member));
      return isAt(block, offsetIn(block, score, member), score, member);
    },

    first: () => (total === 0 ? null : entryAt(blockAt(0), 0)),

    rank(score, member) {
      const { index, offset } = find(score, member);
      return sizeBefore(index) + offset;
    },

    at(rank) {
      assert(rank >= 0 && rank < total, `rank ${rank} is not in a set of ${total}`);
      const { index, before } = blockWithRank(rank);
      return entryAt(blockAt(index), rank - before);
    },

    holder(score) {
      if (total === 0) return null;
      // No member sorts before the empty string, so this is where the score's first member is, or would be.
      const index = blockOf(score, '');
      const block = blockAt(index);
      const offset = offsetIn(block, score, '');
      const next = offset < block.scores.length ? { block, offset } : { block: blocks[index + 1], offset: 0 };
      if (next.block === undefined || next.block.scores[next.offset] !== score) return null;
      return entryAt(next.block, next.offset).member;
    },

    countUpTo(score) {
      if (total === 0) return 0;
      const index = lastIndex(firsts.length, (i) => (firsts[i] ?? 0) <= score);
      if (index < 0) return 0;
      const { scores } = blockAt(index);
      return sizeBefore(index) + lastIndex(scores.length, (i) => (scores[i] ?? 0) <= score) + 1;
    },

    upTo(score, limit) {
      const found: ScoredMember[] = [];
      for (const block of blocks) {
        for (let offset = 0; offset < block.scores.length; offset += 1) {
          const entry = entryAt(block, offset);
          if (found.length >= limit || entry.score > score) return found;
          found.push(entry);
        }
      }
      return found;
    },
  };

  function find(score: number, member: string): { index: number; block: Block; offset: number } {
    assert(total > 0, `${member} is not in the set`);
    const index = blockOf(score, member);
    const block = blockAt(index);
    const offset = offsetIn(block, score, member);
    assert(isAt(block, offset, score, member), `${member} is not in the set at ${score}`);
    return { index, block, offset };
  }

  /** The block that holds this member, or where it belongs: the last one that does not begin after it. */
  function blockOf(score: number, member: string): number {
    let low = 0;
    let high = firsts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const first = firsts[middle] ?? 0;
      const beginsAfter = first > score || (first === score && (blockAt(middle).members[0] ?? '') > member);
      if (beginsAfter) high = middle;
      else low = middle;
    }
    return low;
  }

  function blockAt(index: number): Block {
    const block = blocks[index];
    assert(block !== undefined, `there is no block ${index}`);
    return block;
  }

  function insertBlock(index: number, block: Block): void {
    blocks.splice(index, 0, block);
    firsts.splice(index, 0, firstScore(block));
    sizes = null;
  }

  function removeBlock(index: number): void {
    blocks.splice(index, 1);
    firsts.splice(index, 1);
    sizes = null;
  }

  function joinWithNext(index: number): void {
    const block = blockAt(index);
    const next = blocks[index + 1];
    if (next === undefined || block.scores.length + next.scores.length > joinedMax) return;
    block.scores.push(...next.scores);
    block.members.push(...next.members);
    removeBlock(index + 1);
  }

  function resize(index: number, by: 1 | -1): void {
    if (sizes === null) return;
    for (let i = index + 1; i < sizes.length; i += i & -i) sizes[i] = (sizes[i] ?? 0) + by;
  }

  function builtSizes(): number[] {
    if (sizes !== null) return sizes;
    const built = [0, ...blocks.map((block) => block.scores.length)];
    for (let i = 1; i < built.length; i += 1) {
      const parent = i + (i & -i);
      if (parent < built.length) built[parent] = (built[parent] ?? 0) + (built[i] ?? 0);
    }
    sizes = built;
    return built;
  }

  function sizeBefore(index: number): number {
    const built = builtSizes();
    let sum = 0;
    for (let i = index; i > 0; i -= i & -i) sum += built[i] ?? 0;
    return sum;
  }

  function blockWithRank(rank: number): { index: number; before: number } {
    const built = builtSizes();
    let index = 0;
    let before = 0;
    for (let step = highestPowerOfTwo(built.length - 1); step >= 1; step /= 2) {
      const sum = built[index + step];
      if (sum === undefined || before + sum > rank) continue;
      index += step;
      before += sum;
    }
    return { index, before };
  }
}

/** Where in the block the member is or belongs. */
function offsetIn({ scores, members }: Block, score: number, member: string): number {
  let low = 0;
  let high = scores.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = scores[middle] ?? 0;
    if (there < score || (there === score && (members[middle] ?? '') < member)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isAt(block: Block, offset: number, score: number, member: string): boolean {
  return block.scores[offset] === score && block.members[offset] === member;
}

function entryAt(block: Block, offset: number): ScoredMember {
  const score = block.scores[offset];
  const member = block.members[offset];
  assert(score !== undefined && member !== undefined, `there is no entry ${offset}`);
  return { score, member };
}

function firstScore(block: Block): number {
  return block.scores[0] ?? 0;
}

/** The last index for which the condition holds, given that it holds for a beginning of 0 … count − 1; −1 if for none. */
function lastIndex(count: number, holds: (index: number) => boolean): number {
  let low = -1;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function highestPowerOfTwo(limit: number): number {
  return limit < 1 ? 0 : 2 ** Math.floor(Math.log2(limit));
}
