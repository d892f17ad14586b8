// Generated from docs/reference/openapi.json by `npm run generate`. Do not edit.
import { type CallOptions, type ClientOptions, createCaller } from './runtime.ts';

export type Problem = {
  /** Where the code is explained. */
  type: string;
  title: string;
  status: number;
  /** Stable; decide by this. */
  code: string;
  /** About this very occurrence. */
  detail?: string;
  /** Finds the request in the log. */
  requestId: string;
  /** Each field that was refused. */
  errors?: {
    field: string;
    message: string;
  }[];
};

export interface ActivateRoomInput {
  params: {
    eventId: string;
  };
  body?: {
    reset?: boolean;
    /** gives numbers by chance to all who enter before `opensAt`. `operator`: without public randomness, as is then announced */
    draw?: {
      beacon: "drand" | "operator";
      signInRequired?: boolean;
    };
  } | null;
}

export type ActivateRoomResult = {
  eventId: string;
  title: string;
  isActive: boolean;
  phase: "prequeue" | "frozen" | "open" | "paused" | "closed";
  era: number;
  epoch: number;
  totalInQueue: number;
  serving: number;
  servingLine: number;
  lastLine: number;
  waitingCount: number;
  /** people a second as set; `auto`: by the line behind. null: as configured */
  rate: number | "auto" | null;
  ramp: {
    /** ISO 8601 */
    at: string;
    /** people a second */
    rate: number;
  }[] | null;
  admitWithinSeconds: number;
  soldOut: boolean;
  /** people a second at this moment */
  rateNow: number;
  measuredRate: number | null;
  paused: boolean;
  /** ISO 8601 */
  opensAt: string | null;
  /** ISO 8601 */
  closesAt: string | null;
  message: string | null;
  failMode: "open" | "closed";
  proofDigits: number | null;
  draw: {
    stage: "entering" | "frozen" | "drawn" | "void";
    /** operator: no public randomness, the operator has to be trusted */
    beacon: "drand" | "operator";
    signInRequired: boolean;
    entries: number;
    round: number | null;
  } | null;
};

export interface AdvanceRoomInput {
  params: {
    eventId: string;
  };
  body: {
    batchSize: number;
  };
}

export type AdvanceRoomResult = {
  eventId: string;
  title: string;
  isActive: boolean;
  phase: "prequeue" | "frozen" | "open" | "paused" | "closed";
  era: number;
  epoch: number;
  totalInQueue: number;
  serving: number;
  servingLine: number;
  lastLine: number;
  waitingCount: number;
  /** people a second as set; `auto`: by the line behind. null: as configured */
  rate: number | "auto" | null;
  ramp: {
    /** ISO 8601 */
    at: string;
    /** people a second */
    rate: number;
  }[] | null;
  admitWithinSeconds: number;
  soldOut: boolean;
  /** people a second at this moment */
  rateNow: number;
  measuredRate: number | null;
  paused: boolean;
  /** ISO 8601 */
  opensAt: string | null;
  /** ISO 8601 */
  closesAt: string | null;
  message: string | null;
  failMode: "open" | "closed";
  proofDigits: number | null;
  draw: {
    stage: "entering" | "frozen" | "drawn" | "void";
    /** operator: no public randomness, the operator has to be trusted */
    beacon: "drand" | "operator";
    signInRequired: boolean;
    entries: number;
    round: number | null;
  } | null;
};

export interface AssignNumberInput {
  params: {
    eventId: string;
  };
  body?: Record<string, unknown> | null;
}

export type AssignNumberResult = {
  /** keeps the number: show it to `checkWaitingRoom`. The cookie holds the same */
  requestId: string;
  era: number;
  /** the number, in its era. null, as `line` and `ahead`: a draw has yet to give it */
  position: number | null;
  /** the place in the whole line; compare it with `servingLine` */
  line: number | null;
  ahead: number | null;
  /** in a draw, from 0 */
  entry: number | null;
  /** up to this number of the same era everybody may go on */
  servingCounter: number;
  servingLine: number;
  /** seconds. null: the line stands still */
  estimatedWait: number | null;
  /** seconds until it is worth looking again */
  nextPoll: number;
  /** proves the entry in a draw. Told once: keep it */
  receipt?: Record<string, unknown>;
};

export interface BlockSeatsInput {
  params: {
    eventId: string;
  };
  body: {
    seatIds: string[];
    reason: string;
  };
}

export type BlockSeatsResult = {
  changed: number;
};

export interface CancelEventInput {
  params: {
    eventId: string;
  };
  body: {
    reason: string;
  };
}

export type CancelEventResult = {
  id: string;
  sellerId: string;
  status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
  title: string;
  titleEn: string | null;
  description: string;
  descriptionEn: string | null;
  imageUrl: string | null;
  artistId: string | null;
  venueId: string | null;
  layoutId: string | null;
  artist: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  venue: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  /** ISO 8601 */
  startsAt: string | null;
  /** ISO 8601 */
  doorsAt: string | null;
  /** ISO 8601 */
  saleOpensAt: string | null;
  /** ISO 8601 */
  saleClosesAt: string | null;
  prices: {
    grade: string;
    priceKrw: number;
  }[];
  standingPrices: {
    areaId: string;
    priceKrw: number;
    ticketTypeId: string;
  }[];
  phases: {
    tier: string;
    /** ISO 8601 */
    opensAt: string;
  }[];
  purchaseLimit: number;
  hot: boolean;
  queueEnabled: boolean;
  queueThreshold: number | null;
  seatReturnDelayMaxSeconds: number;
  /** ISO 8601 */
  publishedAt: string | null;
  /** ISO 8601 */
  cancelledAt: string | null;
  cancelReason: string | null;
  views: number;
  version: number;
  problems: {
    field: string;
    message: string;
  }[];
};

export interface CancelPaymentInput {
  params: {
    paymentKey: string;
  };
  body: {
    ticketIds?: string[];
    amountKrw?: number;
    reason: string;
    refundAccount?: {
      bank: string;
      number: string;
      holder: string;
    };
  };
}

export type CancelPaymentResult = {
  payment: {
    id: string;
    orderId: string;
    paymentKey: string | null;
    paymentType: "reservation" | "transfer" | "membership";
    referenceId: string;
    provider: string;
    method: "card" | "virtual_account";
    status: "created" | "capturing" | "unknown" | "waiting_for_deposit" | "captured" | "partially_refunded" | "refunded" | "orphaned" | "reversed" | "failed" | "abandoned" | "expired";
    amountKrw: number;
    capturedKrw: number;
    refundedKrw: number;
    /** on its way back */
    refundPendingKrw: number;
    account: {
      bank: string;
      number: string;
      /** ISO 8601 */
      depositUntil: string;
    } | null;
    declineReason: string | null;
    /** ISO 8601 */
    createdAt: string;
  };
  reservation?: {
    id: string;
    reservationNumber: string;
    eventId: string;
    status: string;
    paymentStatus: string;
    /** ISO 8601 */
    expiresAt: string;
    /** how often it can still be tried to be paid for */
    attemptsLeft: number;
  };
};

export interface CancelReservationInput {
  params: {
    reservationId: string;
  };
  body: {
    ticketIds?: string[];
    refundKrw?: number;
  };
}

export type CancelReservationResult = {
  id: string;
  /** short, to be read aloud */
  reservationNumber: string;
  eventId: string;
  status: "pending" | "paying" | "waiting_for_deposit" | "confirmed" | "partially_cancelled" | "cancelled" | "expired" | "released";
  paymentStatus: "none" | "pending" | "paid" | "refund_requested" | "partially_refunded" | "refunded";
  seats: {
    seatId: string;
    section: string;
    row: string;
    label: string;
    grade: string;
    priceKrw: number;
  }[];
  items: {
    ticketTypeId: string;
    areaId: string;
    quantity: number;
    /** of one */
    priceKrw: number;
  }[];
  feeKrw: number;
  /** seats, standing places and fees together */
  totalKrw: number;
  /** of the hold; what is paid for does not end */
  expiresAt: string;
  /** the largest of its seats, 0 for standing */
  fence: number;
  /** ISO 8601 */
  createdAt: string;
  /** what went back of what was paid */
  refundedKrw: number;
  /** what is on its way back */
  refundPendingKrw: number;
};

export interface ChangeArtistInput {
  params: {
    artistId: string;
  };
  body: {
    name: string;
    nameEn?: string | null;
    description?: string;
    /** https://… or a path on this site */
    imageUrl?: string | null;
    version: number;
  };
}

export type ChangeArtistResult = {
  id: string;
  name: string;
  nameEn: string | null;
  description: string;
  imageUrl: string | null;
  version: number;
  sellerId: string;
};

export interface ChangeEventInput {
  params: {
    eventId: string;
  };
  body: {
    title: string;
    titleEn?: string | null;
    description?: string;
    descriptionEn?: string | null;
    /** https://… or a path on this site */
    imageUrl?: string | null;
    artistId?: string | null;
    venueId?: string | null;
    layoutId?: string | null;
    /** ISO 8601 */
    startsAt?: string | null;
    /** ISO 8601 */
    doorsAt?: string | null;
    /** ISO 8601 */
    saleOpensAt?: string | null;
    /** ISO 8601 */
    saleClosesAt?: string | null;
    prices?: {
      grade: string;
      priceKrw: number;
    }[];
    standingPrices?: {
      areaId: string;
      priceKrw: number;
    }[];
    phases?: {
      tier: "diamond" | "gold" | "silver" | "general";
      /** ISO 8601 */
      opensAt: string;
    }[];
    purchaseLimit?: number;
    hot?: boolean;
    queueEnabled?: boolean;
    queueThreshold?: number | null;
    /** a cancelled seat is sold again after a random time up to this, so that nobody can wait for it */
    seatReturnDelayMaxSeconds?: number;
    version: number;
  };
}

export type ChangeEventResult = {
  id: string;
  sellerId: string;
  status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
  title: string;
  titleEn: string | null;
  description: string;
  descriptionEn: string | null;
  imageUrl: string | null;
  artistId: string | null;
  venueId: string | null;
  layoutId: string | null;
  artist: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  venue: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  /** ISO 8601 */
  startsAt: string | null;
  /** ISO 8601 */
  doorsAt: string | null;
  /** ISO 8601 */
  saleOpensAt: string | null;
  /** ISO 8601 */
  saleClosesAt: string | null;
  prices: {
    grade: string;
    priceKrw: number;
  }[];
  standingPrices: {
    areaId: string;
    priceKrw: number;
    ticketTypeId: string;
  }[];
  phases: {
    tier: string;
    /** ISO 8601 */
    opensAt: string;
  }[];
  purchaseLimit: number;
  hot: boolean;
  queueEnabled: boolean;
  queueThreshold: number | null;
  seatReturnDelayMaxSeconds: number;
  /** ISO 8601 */
  publishedAt: string | null;
  /** ISO 8601 */
  cancelledAt: string | null;
  cancelReason: string | null;
  views: number;
  version: number;
  problems: {
    field: string;
    message: string;
  }[];
};

export interface ChangeLayoutInput {
  params: {
    layoutId: string;
  };
  body: {
    name: string;
    /** of version 1: sections and standingAreas only */
    documentVersion?: 1 | 2;
    stage?: {
      name: string;
      nameEn?: string | null;
      outline: {
        x: number;
        y: number;
      }[];
    } | null;
    texts?: {
      text: string;
      textEn?: string | null;
      x: number;
      y: number;
      size?: number;
    }[];
    sections: {
      id: string;
      name: string;
      nameEn?: string | null;
      floor?: string | null;
      floorEn?: string | null;
      grade: string;
      outline?: {
        x: number;
        y: number;
      }[] | null;
      rows: {
        label: string;
        seats: {
          label: string;
          x: number;
          y: number;
          grade?: string;
          /** a place for a wheelchair */
          accessible?: boolean;
          /** for the person who comes along with a wheelchair user */
          companion?: boolean;
          restrictedView?: boolean;
          note?: string | null;
        }[];
      }[];
    }[];
    standingAreas: {
      id: string;
      name: string;
      nameEn?: string | null;
      capacity: number;
      outline?: {
        x: number;
        y: number;
      }[] | null;
    }[];
    version: number;
  };
}

export type ChangeLayoutResult = {
  id: string;
  venueId: string;
  name: string;
  seatCount: number;
  standingCapacity: number;
  seatsByGrade: {
    grade: string;
    seats: number;
  }[];
  standingAreas: {
    id: string;
    name: string;
    nameEn: string | null;
    capacity: number;
  }[];
  version: number;
  sellerId: string;
};

export interface ChangeUserRoleInput {
  params: {
    userId: string;
  };
  body: {
    role: "buyer" | "seller" | "operator" | "admin";
  };
}

export type ChangeUserRoleResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    /** ISO 8601 */
    createdAt: string;
    /** ISO 8601 */
    disabledAt: string | null;
  };
};

export interface ChangeVenueInput {
  params: {
    venueId: string;
  };
  body: {
    name: string;
    nameEn?: string | null;
    address: string;
    addressEn?: string | null;
    version: number;
  };
}

export type ChangeVenueResult = {
  id: string;
  name: string;
  nameEn: string | null;
  address: string;
  addressEn: string | null;
  version: number;
  sellerId: string;
};

export interface CheckInInput {
  body: {
    code: string;
    gate?: string;
    eventId?: string;
  };
}

export type CheckInResult = {
  ticketId: string;
  eventId: string;
  reservationNumber: string;
  seatId: string | null;
  areaId: string | null;
  /** ISO 8601 */
  checkedInAt: string;
  gate: string | null;
};

export interface CheckQueueInput {
  params: {
    eventId: string;
  };
}

export type CheckQueueResult = {
  status: "waiting" | "active" | "pending" | "closed" | "none";
  /** true while waiting */
  queued: boolean;
  /** 1 is next */
  position: number | null;
  peopleAhead: number | null;
  peopleBehind: number | null;
  /** seconds; half of those in this position wait less. null: unknown */
  estimatedWait: number | null;
  /** seconds; nine in ten wait less. null: unknown */
  estimatedWaitHigh: number | null;
  /** seconds until it is worth asking again */
  nextPoll: number;
  /** in a slot now */
  currentUsers: number;
  /** slots of the event */
  threshold: number;
  /** people who wait */
  queueSize: number;
  /** the waiting ticket: it keeps the place whatever happens */
  ticket: string | null;
  /** while active */
  entryToken?: string;
  /** ISO 8601 */
  slotEndsAt?: string;
  paused: boolean;
  /** from the operator */
  message: string | null;
  /** ISO 8601 */
  opensAt: string | null;
  /** the store is away and this is what was known last, or it was lost and the crowd is still coming back: no number counts yet */
  stale: boolean;
  event: {
    title: string;
    artist: string;
    /** ISO 8601 */
    date: string;
  };
};

export interface CheckWaitingRoomInput {
  params: {
    eventId: string;
    requestId: string;
  };
}

export type CheckWaitingRoomResult = {
  admitted: boolean;
  /** where admitted: the pass, good for ten minutes */
  token?: string;
  /** keeps the number: show it to `checkWaitingRoom`. The cookie holds the same */
  requestId: string;
  era: number;
  /** the number, in its era. null, as `line` and `ahead`: a draw has yet to give it */
  position: number | null;
  /** the place in the whole line; compare it with `servingLine` */
  line: number | null;
  ahead: number | null;
  /** in a draw, from 0 */
  entry: number | null;
  /** up to this number of the same era everybody may go on */
  servingCounter: number;
  servingLine: number;
  /** seconds. null: the line stands still */
  estimatedWait: number | null;
  /** seconds until it is worth looking again */
  nextPoll: number;
};

export interface ClearQueueInput {
  params: {
    eventId: string;
  };
}

export type ClearQueueResult = {
  cleared: number;
  more: boolean;
};

export interface CloseQueueInput {
  params: {
    eventId: string;
  };
}

export type CloseQueueResult = {
  threshold: number;
  paused: boolean;
  /** no new entrants */
  closed: boolean;
  message: string | null;
};

export interface ConfirmPaymentInput {
  body: {
    paymentKey: string;
    orderId: string;
    amount: number;
  };
}

export type ConfirmPaymentResult = {
  payment: {
    id: string;
    orderId: string;
    paymentKey: string | null;
    paymentType: "reservation" | "transfer" | "membership";
    referenceId: string;
    provider: string;
    method: "card" | "virtual_account";
    status: "created" | "capturing" | "unknown" | "waiting_for_deposit" | "captured" | "partially_refunded" | "refunded" | "orphaned" | "reversed" | "failed" | "abandoned" | "expired";
    amountKrw: number;
    capturedKrw: number;
    refundedKrw: number;
    /** on its way back */
    refundPendingKrw: number;
    account: {
      bank: string;
      number: string;
      /** ISO 8601 */
      depositUntil: string;
    } | null;
    declineReason: string | null;
    /** ISO 8601 */
    createdAt: string;
  };
  reservation?: {
    id: string;
    reservationNumber: string;
    eventId: string;
    status: string;
    paymentStatus: string;
    /** ISO 8601 */
    expiresAt: string;
    /** how often it can still be tried to be paid for */
    attemptsLeft: number;
  };
};

export interface ConfirmReservationInput {
  params: {
    reservationId: string;
  };
}

export type ConfirmReservationResult = {
  id: string;
  /** short, to be read aloud */
  reservationNumber: string;
  eventId: string;
  status: "pending" | "paying" | "waiting_for_deposit" | "confirmed" | "partially_cancelled" | "cancelled" | "expired" | "released";
  paymentStatus: "none" | "pending" | "paid" | "refund_requested" | "partially_refunded" | "refunded";
  seats: {
    seatId: string;
    section: string;
    row: string;
    label: string;
    grade: string;
    priceKrw: number;
  }[];
  items: {
    ticketTypeId: string;
    areaId: string;
    quantity: number;
    /** of one */
    priceKrw: number;
  }[];
  feeKrw: number;
  /** seats, standing places and fees together */
  totalKrw: number;
  /** of the hold; what is paid for does not end */
  expiresAt: string;
  /** the largest of its seats, 0 for standing */
  fence: number;
  /** ISO 8601 */
  createdAt: string;
  /** what went back of what was paid */
  refundedKrw: number;
  /** what is on its way back */
  refundPendingKrw: number;
};

export interface CreateArtistInput {
  body: {
    name: string;
    nameEn?: string | null;
    description?: string;
    /** https://… or a path on this site */
    imageUrl?: string | null;
    sellerId?: string;
  };
}

export type CreateArtistResult = {
  id: string;
  name: string;
  nameEn: string | null;
  description: string;
  imageUrl: string | null;
  version: number;
  sellerId: string;
};

export interface CreateEventInput {
  body: {
    title: string;
    titleEn?: string | null;
    description?: string;
    descriptionEn?: string | null;
    /** https://… or a path on this site */
    imageUrl?: string | null;
    artistId?: string | null;
    venueId?: string | null;
    layoutId?: string | null;
    /** ISO 8601 */
    startsAt?: string | null;
    /** ISO 8601 */
    doorsAt?: string | null;
    /** ISO 8601 */
    saleOpensAt?: string | null;
    /** ISO 8601 */
    saleClosesAt?: string | null;
    prices?: {
      grade: string;
      priceKrw: number;
    }[];
    standingPrices?: {
      areaId: string;
      priceKrw: number;
    }[];
    phases?: {
      tier: "diamond" | "gold" | "silver" | "general";
      /** ISO 8601 */
      opensAt: string;
    }[];
    purchaseLimit?: number;
    hot?: boolean;
    queueEnabled?: boolean;
    queueThreshold?: number | null;
    /** a cancelled seat is sold again after a random time up to this, so that nobody can wait for it */
    seatReturnDelayMaxSeconds?: number;
    sellerId?: string;
  };
}

export type CreateEventResult = {
  id: string;
  sellerId: string;
  status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
  title: string;
  titleEn: string | null;
  description: string;
  descriptionEn: string | null;
  imageUrl: string | null;
  artistId: string | null;
  venueId: string | null;
  layoutId: string | null;
  artist: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  venue: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  /** ISO 8601 */
  startsAt: string | null;
  /** ISO 8601 */
  doorsAt: string | null;
  /** ISO 8601 */
  saleOpensAt: string | null;
  /** ISO 8601 */
  saleClosesAt: string | null;
  prices: {
    grade: string;
    priceKrw: number;
  }[];
  standingPrices: {
    areaId: string;
    priceKrw: number;
    ticketTypeId: string;
  }[];
  phases: {
    tier: string;
    /** ISO 8601 */
    opensAt: string;
  }[];
  purchaseLimit: number;
  hot: boolean;
  queueEnabled: boolean;
  queueThreshold: number | null;
  seatReturnDelayMaxSeconds: number;
  /** ISO 8601 */
  publishedAt: string | null;
  /** ISO 8601 */
  cancelledAt: string | null;
  cancelReason: string | null;
  views: number;
  version: number;
  problems: {
    field: string;
    message: string;
  }[];
};

export interface CreateLayoutInput {
  body: {
    name: string;
    /** of version 1: sections and standingAreas only */
    documentVersion?: 1 | 2;
    stage?: {
      name: string;
      nameEn?: string | null;
      outline: {
        x: number;
        y: number;
      }[];
    } | null;
    texts?: {
      text: string;
      textEn?: string | null;
      x: number;
      y: number;
      size?: number;
    }[];
    sections: {
      id: string;
      name: string;
      nameEn?: string | null;
      floor?: string | null;
      floorEn?: string | null;
      grade: string;
      outline?: {
        x: number;
        y: number;
      }[] | null;
      rows: {
        label: string;
        seats: {
          label: string;
          x: number;
          y: number;
          grade?: string;
          /** a place for a wheelchair */
          accessible?: boolean;
          /** for the person who comes along with a wheelchair user */
          companion?: boolean;
          restrictedView?: boolean;
          note?: string | null;
        }[];
      }[];
    }[];
    standingAreas: {
      id: string;
      name: string;
      nameEn?: string | null;
      capacity: number;
      outline?: {
        x: number;
        y: number;
      }[] | null;
    }[];
    venueId: string;
    sellerId?: string;
  };
}

export type CreateLayoutResult = {
  id: string;
  venueId: string;
  name: string;
  seatCount: number;
  standingCapacity: number;
  seatsByGrade: {
    grade: string;
    seats: number;
  }[];
  standingAreas: {
    id: string;
    name: string;
    nameEn: string | null;
    capacity: number;
  }[];
  version: number;
  sellerId: string;
};

export interface CreateVenueInput {
  body: {
    name: string;
    nameEn?: string | null;
    address: string;
    addressEn?: string | null;
    sellerId?: string;
  };
}

export type CreateVenueResult = {
  id: string;
  name: string;
  nameEn: string | null;
  address: string;
  addressEn: string | null;
  version: number;
  sellerId: string;
};

export interface DeactivateRoomInput {
  params: {
    eventId: string;
  };
}

export type DeactivateRoomResult = {
  eventId: string;
  title: string;
  isActive: boolean;
  phase: "prequeue" | "frozen" | "open" | "paused" | "closed";
  era: number;
  epoch: number;
  totalInQueue: number;
  serving: number;
  servingLine: number;
  lastLine: number;
  waitingCount: number;
  /** people a second as set; `auto`: by the line behind. null: as configured */
  rate: number | "auto" | null;
  ramp: {
    /** ISO 8601 */
    at: string;
    /** people a second */
    rate: number;
  }[] | null;
  admitWithinSeconds: number;
  soldOut: boolean;
  /** people a second at this moment */
  rateNow: number;
  measuredRate: number | null;
  paused: boolean;
  /** ISO 8601 */
  opensAt: string | null;
  /** ISO 8601 */
  closesAt: string | null;
  message: string | null;
  failMode: "open" | "closed";
  proofDigits: number | null;
  draw: {
    stage: "entering" | "frozen" | "drawn" | "void";
    /** operator: no public randomness, the operator has to be trusted */
    beacon: "drand" | "operator";
    signInRequired: boolean;
    entries: number;
    round: number | null;
  } | null;
};

export interface DeleteArtistInput {
  params: {
    artistId: string;
  };
}

export type DeleteArtistResult = undefined;

export interface DeleteEventInput {
  params: {
    eventId: string;
  };
}

export type DeleteEventResult = undefined;

export interface DeleteLayoutInput {
  params: {
    layoutId: string;
  };
}

export type DeleteLayoutResult = undefined;

export interface DeleteMeInput {
  body?: {
    password?: string;
  } | null;
}

export type DeleteMeResult = {
  /** ISO 8601 */
  acceptedAt: string;
  /** ISO 8601 */
  accessEndsAt: string;
};

export interface DeleteVenueInput {
  params: {
    venueId: string;
  };
}

export type DeleteVenueResult = undefined;

export interface DisableUserInput {
  params: {
    userId: string;
  };
}

export type DisableUserResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    /** ISO 8601 */
    createdAt: string;
    /** ISO 8601 */
    disabledAt: string | null;
  };
};

export interface EnableUserInput {
  params: {
    userId: string;
  };
}

export type EnableUserResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    /** ISO 8601 */
    createdAt: string;
    /** ISO 8601 */
    disabledAt: string | null;
  };
};

export interface EndQueueSlotInput {
  params: {
    eventId: string;
    userId: string;
  };
}

export type EndQueueSlotResult = {
  ended: boolean;
};

export interface EnterQueueInput {
  params: {
    eventId: string;
  };
}

export type EnterQueueResult = {
  status: "waiting" | "active" | "pending" | "closed" | "none";
  /** true while waiting */
  queued: boolean;
  /** 1 is next */
  position: number | null;
  peopleAhead: number | null;
  peopleBehind: number | null;
  /** seconds; half of those in this position wait less. null: unknown */
  estimatedWait: number | null;
  /** seconds; nine in ten wait less. null: unknown */
  estimatedWaitHigh: number | null;
  /** seconds until it is worth asking again */
  nextPoll: number;
  /** in a slot now */
  currentUsers: number;
  /** slots of the event */
  threshold: number;
  /** people who wait */
  queueSize: number;
  /** the waiting ticket: it keeps the place whatever happens */
  ticket: string | null;
  /** while active */
  entryToken?: string;
  /** ISO 8601 */
  slotEndsAt?: string;
  paused: boolean;
  /** from the operator */
  message: string | null;
  /** ISO 8601 */
  opensAt: string | null;
  /** the store is away and this is what was known last, or it was lost and the crowd is still coming back: no number counts yet */
  stale: boolean;
  event: {
    title: string;
    artist: string;
    /** ISO 8601 */
    date: string;
  };
};

export interface ExportLayoutInput {
  params: {
    layoutId: string;
  };
  query: {
    format: "csv" | "pretix";
  };
}

export type ExportLayoutResult = unknown;

export type ExportMeResult = unknown;

export interface FinishOidcSignInInput {
  params: {
    provider: string;
  };
  query?: {
    state?: string | undefined;
    code?: string | undefined;
    error?: string | undefined;
    iss?: string | undefined;
  };
}

export type FinishOidcSignInResult = undefined;

export interface GetArtistInput {
  params: {
    artistId: string;
  };
}

export type GetArtistResult = {
  id: string;
  name: string;
  nameEn: string | null;
  description: string;
  imageUrl: string | null;
  version: number;
};

export interface GetBrandingInput {
  params: {
    eventId: string;
  };
}

export type GetBrandingResult = {
  name: string | null;
  logo: string | null;
  title: {
    ko: string | null;
    en: string | null;
  };
  heading: {
    ko: string | null;
    en: string | null;
  };
  body: {
    ko: string | null;
    en: string | null;
  };
  colours: {
    accent: string | null;
    onAccent: string | null;
  };
};

export interface GetChallengeInput {
  params: {
    eventId: string;
  };
}

export type GetChallengeResult = {
  parameters: {
    algorithm: string;
    /** hexadecimal, as the next one */
    nonce: string;
    salt: string;
    cost: number;
    keyLength: number;
    /** what a solution begins with */
    keyPrefix: string;
    /** seconds since 1970 */
    expiresAt: number;
    data: {
      eventId: string;
    };
  };
  signature: string;
};

export interface GetCheckInBundleInput {
  params: {
    eventId: string;
  };
}

export type GetCheckInBundleResult = {
  eventId: string;
  title: string;
  /** ISO 8601 */
  startsAt: string;
  /** ISO 8601 */
  doorsAt: string | null;
  /** ISO 8601 */
  madeAt: string;
  keys: {
    kid: string;
    /** Ed25519, raw, base64url */
    publicKey: string;
  }[];
  revoked: {
    count: number;
    /** base64 of 18 bytes each, in order: the ticket id, and the lowest version that is still good as 16 bits, big endian; 65535: none is */
    entries: string;
  };
};

export interface GetDrawInput {
  params: {
    eventId: string;
  };
}

export type GetDrawResult = {
  format: "urr.draw.1";
  eventId: string;
  era: number;
  announcedAtMs: number;
  /** hexadecimal */
  commitment: string;
  /** hexadecimal */
  receiptKey: string;
  signInRequired: boolean;
  beacon: {
    /** operator: no public randomness, the operator has to be trusted */
    kind: "drand" | "operator";
  };
  /** hexadecimal */
  head: string;
  /** first entry, how many, root of their tree */
  batches: (number | string)[][];
  frozen: {
    atMs: number;
    entries: number;
    /** hexadecimal */
    head: string;
    round: number;
  } | null;
  revealed: {
    atMs: number;
    /** hexadecimal */
    secret: string;
    round: number;
    /** hexadecimal */
    value: string;
    /** hexadecimal */
    signature: string;
    /** hexadecimal */
    seed: string;
  } | null;
  voids: {
    era: number;
    atMs: number;
    entries: number;
    /** hexadecimal */
    head: string;
    reason: "unrevealed" | "reset";
  }[];
};

export interface GetEventInput {
  params: {
    eventId: string;
  };
}

export type GetEventResult = {
  id: string;
  title: string;
  titleEn: string | null;
  status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
  artist: {
    id: string;
    name: string;
    nameEn: string | null;
  };
  venue: {
    id: string;
    name: string;
    nameEn: string | null;
  };
  /** ISO 8601 */
  startsAt: string;
  /** ISO 8601 */
  doorsAt: string | null;
  /** ISO 8601 */
  saleOpensAt: string;
  /** ISO 8601 */
  saleClosesAt: string;
  imageUrl: string | null;
  hot: boolean;
  priceMinKrw: number;
  priceMaxKrw: number;
  description: string;
  descriptionEn: string | null;
  layoutId: string;
  seatCount: number;
  standingCapacity: number;
  prices: {
    grade: string;
    priceKrw: number;
    /** of this grade */
    seats: number;
  }[];
  ticketTypes: {
    id: string;
    areaId: string;
    name: string;
    nameEn: string | null;
    capacity: number;
    priceKrw: number;
  }[];
  phases: {
    tier: "diamond" | "gold" | "silver" | "general";
    /** ISO 8601 */
    opensAt: string;
  }[];
  purchaseLimit: number;
  queueEnabled: boolean;
  cancelReason: string | null;
  views: number;
  version: number;
};

export interface GetEventSalesInput {
  params: {
    eventId: string;
  };
}

export type GetEventSalesResult = {
  eventId: string;
  grades: {
    grade: string;
    priceKrw: number;
    total: number;
    sold: number;
    held: number;
    blocked: number;
    free: number;
    soldKrw: number;
  }[];
  areas: {
    ticketTypeId: string;
    areaId: string;
    name: string;
    priceKrw: number;
    total: number;
    sold: number;
    held: number;
    free: number;
    soldKrw: number;
  }[];
  checkedIn: number;
};

export interface GetLayoutInput {
  params: {
    layoutId: string;
  };
}

export type GetLayoutResult = {
  id: string;
  venueId: string;
  name: string;
  version: number;
  documentVersion: 2;
  width: number;
  height: number;
  seatCount: number;
  standingCapacity: number;
  grades: string[];
  stage: {
    name: string;
    nameEn: string | null;
    outline: {
      x: number[];
      y: number[];
    };
  } | null;
  texts: {
    text: string;
    textEn: string | null;
    x: number;
    y: number;
    size: number;
  }[];
  sections: {
    id: string;
    name: string;
    nameEn: string | null;
    floor: string | null;
    floorEn: string | null;
    outline: {
      x: number[];
      y: number[];
    } | null;
    rows: {
      label: string;
      labels: string[];
      x: number[];
      y: number[];
      grades: number[];
    }[];
  }[];
  standingAreas: {
    id: string;
    name: string;
    nameEn: string | null;
    capacity: number;
    outline: {
      x: number[];
      y: number[];
    } | null;
  }[];
  seatMarks: {
    accessible: number[];
    companion: number[];
    restrictedView: number[];
  };
  notes: {
    seatNo: number;
    note: string;
  }[];
};

export type GetMeResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
};

export interface GetOrderInput {
  params: {
    orderId: string;
  };
}

export type GetOrderResult = {
  orderId: string;
  orderName: string;
  paymentType: "reservation" | "transfer" | "membership";
  referenceId: string;
  amountKrw: number;
  provider: string;
  method: "card" | "virtual_account";
  clientKey: string | null;
  /** the script of the provider's window */
  sdkUrl: string | null;
  /** ISO 8601 */
  expiresAt: string;
  state: "open" | "paying" | "unknown" | "waiting_for_deposit" | "paid" | "refunded" | "closed";
  payment: {
    id: string;
    orderId: string;
    paymentKey: string | null;
    paymentType: "reservation" | "transfer" | "membership";
    referenceId: string;
    provider: string;
    method: "card" | "virtual_account";
    status: "created" | "capturing" | "unknown" | "waiting_for_deposit" | "captured" | "partially_refunded" | "refunded" | "orphaned" | "reversed" | "failed" | "abandoned" | "expired";
    amountKrw: number;
    capturedKrw: number;
    refundedKrw: number;
    /** on its way back */
    refundPendingKrw: number;
    account: {
      bank: string;
      number: string;
      /** ISO 8601 */
      depositUntil: string;
    } | null;
    declineReason: string | null;
    /** ISO 8601 */
    createdAt: string;
  } | null;
  reservation: {
    id: string;
    reservationNumber: string;
    eventId: string;
    status: string;
    paymentStatus: string;
    /** ISO 8601 */
    expiresAt: string;
    /** how often it can still be tried to be paid for */
    attemptsLeft: number;
  } | null;
};

export interface GetQueueOverviewInput {
  params: {
    eventId: string;
  };
}

export type GetQueueOverviewResult = {
  threshold: number;
  paused: boolean;
  /** no new entrants */
  closed: boolean;
  message: string | null;
  /** whose word the threshold is: an operator set it, the event says so, or the configuration. null: unknown while PostgreSQL is away */
  thresholdFrom: "operator" | "event" | "default" | null;
  eventId: string;
  title: string;
  waiting: number;
  parked: number;
  active: number;
  /** admissions in the last 60 s */
  ratePerMinute: number;
  /** seconds, of the last in line */
  estimatedWait: number | null;
  estimatedWaitHigh: number | null;
  /** the store was lost: people are placed, nobody is admitted */
  recovering: boolean;
  stale: boolean;
  /** the process that answers is connected to a server that no longer keeps this queue, or to a read replica: it answers buyers 503, and this is of the past */
  superseded: boolean;
  epoch: number;
  era: number;
  totals: {
    joined: number;
    admitted: number;
    left: number;
    noShows: number;
    forgotten: number;
  };
  /** the last 60 seconds, oldest first */
  admittedPerSecond: number[];
  /** as this process saw it, about once a second, oldest first */
  history: {
    /** ISO 8601 */
    at: string;
    waiting: number;
    parked: number;
    active: number;
    threshold: number;
  }[];
};

export interface GetQueueStatusInput {
  params: {
    eventId: string;
  };
}

export type GetQueueStatusResult = {
  status: "waiting" | "active" | "pending" | "closed" | "none";
  /** true while waiting */
  queued: boolean;
  /** 1 is next */
  position: number | null;
  peopleAhead: number | null;
  peopleBehind: number | null;
  /** seconds; half of those in this position wait less. null: unknown */
  estimatedWait: number | null;
  /** seconds; nine in ten wait less. null: unknown */
  estimatedWaitHigh: number | null;
  /** seconds until it is worth asking again */
  nextPoll: number;
  /** in a slot now */
  currentUsers: number;
  /** slots of the event */
  threshold: number;
  /** people who wait */
  queueSize: number;
  /** the waiting ticket: it keeps the place whatever happens */
  ticket: string | null;
  /** while active */
  entryToken?: string;
  /** ISO 8601 */
  slotEndsAt?: string;
  paused: boolean;
  /** from the operator */
  message: string | null;
  /** ISO 8601 */
  opensAt: string | null;
  /** the store is away and this is what was known last, or it was lost and the crowd is still coming back: no number counts yet */
  stale: boolean;
  event: {
    title: string;
    artist: string;
    /** ISO 8601 */
    date: string;
  };
};

export interface GetRefundQuoteInput {
  params: {
    reservationId: string;
  };
  query?: {
    ticketIds?: string | undefined;
  };
}

export type GetRefundQuoteResult = {
  reservationId: string;
  /** ISO 8601 */
  quotedAt: string;
  /** the date that counts: of the date now and the one at the purchase the later */
  showsAt: string;
  /** whole days to the show, by the calendar of Seoul */
  daysBefore: number;
  /** the line of the terms that counts; `full`: everything goes back, e.g. of a cancelled event */
  rule: "ten_days" | "within_24h" | "seven_days" | "three_days" | "one_day" | "same_day" | "full";
  lines: {
    ticketId: string;
    priceKrw: number;
    feeKrw: number;
    /** what is kept of the price */
    cancellationFeeKrw: number;
    /** what is kept of the booking fee */
    feeKeptKrw: number;
    /** what goes back: price and fee without what is kept of them */
    refundKrw: number;
  }[];
  priceKrw: number;
  feeKrw: number;
  /** what is kept of the price */
  cancellationFeeKrw: number;
  /** what is kept of the booking fee */
  feeKeptKrw: number;
  /** what goes back: price and fee without what is kept of them */
  refundKrw: number;
  /** when less begins to come back; null: never */
  changesAt: string | null;
  terms: {
    daysBefore: number;
    percentKept: number;
  }[];
  /** until when booking fees come back, too; null: no more, or always */
  bookingFeeUntil: string | null;
};

export interface GetReservationInput {
  params: {
    reservationId: string;
  };
}

export type GetReservationResult = {
  id: string;
  /** short, to be read aloud */
  reservationNumber: string;
  eventId: string;
  status: "pending" | "paying" | "waiting_for_deposit" | "confirmed" | "partially_cancelled" | "cancelled" | "expired" | "released";
  paymentStatus: "none" | "pending" | "paid" | "refund_requested" | "partially_refunded" | "refunded";
  seats: {
    seatId: string;
    section: string;
    row: string;
    label: string;
    grade: string;
    priceKrw: number;
  }[];
  items: {
    ticketTypeId: string;
    areaId: string;
    quantity: number;
    /** of one */
    priceKrw: number;
  }[];
  feeKrw: number;
  /** seats, standing places and fees together */
  totalKrw: number;
  /** of the hold; what is paid for does not end */
  expiresAt: string;
  /** the largest of its seats, 0 for standing */
  fence: number;
  /** ISO 8601 */
  createdAt: string;
  /** what went back of what was paid */
  refundedKrw: number;
  /** what is on its way back */
  refundPendingKrw: number;
};

export interface GetRoomOverviewInput {
  params: {
    eventId: string;
  };
}

export type GetRoomOverviewResult = {
  eventId: string;
  title: string;
  isActive: boolean;
  phase: "prequeue" | "frozen" | "open" | "paused" | "closed";
  era: number;
  epoch: number;
  totalInQueue: number;
  serving: number;
  servingLine: number;
  lastLine: number;
  waitingCount: number;
  /** people a second as set; `auto`: by the line behind. null: as configured */
  rate: number | "auto" | null;
  ramp: {
    /** ISO 8601 */
    at: string;
    /** people a second */
    rate: number;
  }[] | null;
  admitWithinSeconds: number;
  soldOut: boolean;
  /** people a second at this moment */
  rateNow: number;
  measuredRate: number | null;
  paused: boolean;
  /** ISO 8601 */
  opensAt: string | null;
  /** ISO 8601 */
  closesAt: string | null;
  message: string | null;
  failMode: "open" | "closed";
  proofDigits: number | null;
  draw: {
    stage: "entering" | "frozen" | "drawn" | "void";
    /** operator: no public randomness, the operator has to be trusted */
    beacon: "drand" | "operator";
    signInRequired: boolean;
    entries: number;
    round: number | null;
  } | null;
};

export interface GetRoomStatusInput {
  params: {
    eventId: string;
  };
}

export type GetRoomStatusResult = {
  eventId: string;
  isActive: boolean;
  /** the last number that was given in this era */
  totalInQueue: number;
  /** up to this number of the present era everybody may go on */
  serving: number;
  /** the same as a place in the whole line */
  servingLine: number;
  waitingCount: number;
  /** people a second */
  rate: number;
  phase: "prequeue" | "frozen" | "open" | "paused" | "closed";
  /** ISO 8601 */
  opensAt: string | null;
  soldOut: boolean;
  /** from the operator */
  message: string | null;
  draw: {
    era: number;
    /** SHA-256 of the secret */
    commitment: string;
    /** operator: no public randomness, the operator has to be trusted */
    beacon: "drand" | "operator";
    signInRequired: boolean;
    /** so far; from the freeze on N */
    entries: number;
    /** of the log of entries */
    head: string;
    /** ISO 8601 */
    frozenAt: string | null;
    /** of the beacon, whose value counts */
    round: number | null;
    /** hexadecimal */
    seed: string | null;
    /** place in the whole line of number 0 */
    lineOffset: number;
    void: "unrevealed" | "reset" | null;
  } | null;
};

export interface GetSeatMapInput {
  params: {
    eventId: string;
  };
}

export type GetSeatMapResult = {
  layoutId: string;
  /** grows with every change; `since` and Last-Event-ID take it */
  version: number;
  /** base64 of 2 bits a seat in layout order, the first seat in the lowest bits: 0 free, 1 held, 2 sold, 3 blocked */
  states: string;
  grades: {
    grade: string;
    priceKrw: number;
    left: number;
  }[];
  areas: {
    ticketTypeId: string;
    left: number;
  }[];
  mine: {
    id: string;
    /** short, to be read aloud */
    reservationNumber: string;
    eventId: string;
    status: "pending" | "paying" | "waiting_for_deposit" | "confirmed" | "partially_cancelled" | "cancelled" | "expired" | "released";
    paymentStatus: "none" | "pending" | "paid" | "refund_requested" | "partially_refunded" | "refunded";
    seats: {
      seatId: string;
      section: string;
      row: string;
      label: string;
      grade: string;
      priceKrw: number;
    }[];
    items: {
      ticketTypeId: string;
      areaId: string;
      quantity: number;
      /** of one */
      priceKrw: number;
    }[];
    feeKrw: number;
    /** seats, standing places and fees together */
    totalKrw: number;
    /** of the hold; what is paid for does not end */
    expiresAt: string;
    /** the largest of its seats, 0 for standing */
    fence: number;
    /** ISO 8601 */
    createdAt: string;
  } | null;
};

export interface GetSectionSeatsInput {
  params: {
    eventId: string;
    section: string;
  };
}

export type GetSectionSeatsResult = {
  version: number;
  items: {
    seatId: string;
    row: string;
    label: string;
    grade: string;
    priceKrw: number;
    state: "available" | "held" | "sold" | "blocked" | "mine";
  }[];
};

export interface GetSellerEventInput {
  params: {
    eventId: string;
  };
}

export type GetSellerEventResult = {
  id: string;
  sellerId: string;
  status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
  title: string;
  titleEn: string | null;
  description: string;
  descriptionEn: string | null;
  imageUrl: string | null;
  artistId: string | null;
  venueId: string | null;
  layoutId: string | null;
  artist: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  venue: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  /** ISO 8601 */
  startsAt: string | null;
  /** ISO 8601 */
  doorsAt: string | null;
  /** ISO 8601 */
  saleOpensAt: string | null;
  /** ISO 8601 */
  saleClosesAt: string | null;
  prices: {
    grade: string;
    priceKrw: number;
  }[];
  standingPrices: {
    areaId: string;
    priceKrw: number;
    ticketTypeId: string;
  }[];
  phases: {
    tier: string;
    /** ISO 8601 */
    opensAt: string;
  }[];
  purchaseLimit: number;
  hot: boolean;
  queueEnabled: boolean;
  queueThreshold: number | null;
  seatReturnDelayMaxSeconds: number;
  /** ISO 8601 */
  publishedAt: string | null;
  /** ISO 8601 */
  cancelledAt: string | null;
  cancelReason: string | null;
  views: number;
  version: number;
  problems: {
    field: string;
    message: string;
  }[];
};

export interface GetSellerLayoutInput {
  params: {
    layoutId: string;
  };
}

export type GetSellerLayoutResult = {
  id: string;
  venueId: string;
  name: string;
  seatCount: number;
  standingCapacity: number;
  seatsByGrade: {
    grade: string;
    seats: number;
  }[];
  standingAreas: {
    id: string;
    name: string;
    nameEn: string | null;
    capacity: number;
    outline: {
      x: number;
      y: number;
    }[] | null;
  }[];
  version: number;
  sellerId: string;
  documentVersion: 2;
  stage: {
    name: string;
    nameEn: string | null;
    outline: {
      x: number;
      y: number;
    }[];
  } | null;
  texts: {
    text: string;
    textEn: string | null;
    x: number;
    y: number;
    size: number;
  }[];
  sections: {
    id: string;
    name: string;
    nameEn: string | null;
    floor: string | null;
    floorEn: string | null;
    grade: string;
    outline: {
      x: number;
      y: number;
    }[] | null;
    rows: {
      label: string;
      seats: {
        label: string;
        x: number;
        y: number;
        /** where it differs from that of the section */
        grade?: string;
        accessible?: true;
        companion?: true;
        restrictedView?: true;
        note?: string;
      }[];
    }[];
  }[];
};

export interface GetTicketInput {
  params: {
    ticketId: string;
  };
}

export type GetTicketResult = {
  id: string;
  reservationId: string;
  reservationNumber: string;
  eventId: string;
  event: {
    title: string;
    titleEn: string | null;
    venue: string;
    venueEn: string | null;
    /** ISO 8601 */
    startsAt: string;
    /** ISO 8601 */
    doorsAt: string | null;
    cancelled: boolean;
  };
  seat: {
    seatId: string;
    section: string;
    row: string;
    label: string;
    grade: string;
    priceKrw: number;
  } | null;
  area: {
    ticketTypeId: string;
    areaId: string;
    name: string;
    nameEn: string | null;
  } | null;
  priceKrw: number;
  feeKrw: number;
  state: "issued" | "listed" | "checked_in" | "void";
  version: number;
  /** ISO 8601 */
  issuedAt: string;
  /** ISO 8601 */
  checkedInAt: string | null;
  voidReason: string | null;
  /** of a void ticket: what goes back of price and fee, or went; the rest is kept */
  refundKrw: number | null;
};

export interface GetTicketQrInput {
  params: {
    ticketId: string;
  };
}

export type GetTicketQrResult = unknown;

export interface GetTicketTypeAvailabilityInput {
  params: {
    ticketTypeId: string;
  };
}

export type GetTicketTypeAvailabilityResult = {
  ticketTypeId: string;
  eventId: string;
  capacity: number;
  left: number;
};

export type GetTimeResult = {
  /** ISO 8601 */
  now: string;
};

export interface GetUserInput {
  params: {
    userId: string;
  };
}

export type GetUserResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    /** ISO 8601 */
    createdAt: string;
    /** ISO 8601 */
    disabledAt: string | null;
  };
};

export interface GetVenueInput {
  params: {
    venueId: string;
  };
}

export type GetVenueResult = {
  id: string;
  name: string;
  nameEn: string | null;
  address: string;
  addressEn: string | null;
  version: number;
  layouts: {
    id: string;
    venueId: string;
    name: string;
    seatCount: number;
    standingCapacity: number;
    seatsByGrade: {
      grade: string;
      seats: number;
    }[];
    standingAreas: {
      id: string;
      name: string;
      nameEn: string | null;
      capacity: number;
    }[];
    version: number;
  }[];
};

export interface ImportLayoutInput {
  query: {
    venueId: string;
    name?: string | undefined;
    sellerId?: string | undefined;
  };
  body: Blob;
}

export type ImportLayoutResult = {
  layout: {
    id: string;
    venueId: string;
    name: string;
    seatCount: number;
    standingCapacity: number;
    seatsByGrade: {
      grade: string;
      seats: number;
    }[];
    standingAreas: {
      id: string;
      name: string;
      nameEn: string | null;
      capacity: number;
    }[];
    version: number;
    sellerId: string;
  };
  /** what was lost, changed or not understood */
  warnings: {
    line: number;
    /** a column of a table, a path in JSON; empty: the whole line */
    field: string;
    message: string;
  }[];
  /** more than are named where there are very many */
  warningsTotal: number;
};

export interface LeaveQueueInput {
  params: {
    eventId: string;
  };
}

export type LeaveQueueResult = {
  left: "place" | "slot" | "nothing";
};

export interface ListArtistsInput {
  query?: {
    q?: string | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListArtistsResult = {
  items: {
    id: string;
    name: string;
    nameEn: string | null;
    description: string;
    imageUrl: string | null;
    version: number;
  }[];
  nextCursor: string | null;
};

export interface ListEventTicketsInput {
  params: {
    eventId: string;
  };
}

export type ListEventTicketsResult = {
  eventId: string;
  ready: boolean;
  grades: {
    grade: string;
    priceKrw: number;
    left: number;
  }[];
  ticketTypes: {
    ticketTypeId: string;
    left: number;
    areaId: string;
    name: string;
    priceKrw: number;
    capacity: number;
  }[];
};

export interface ListEventsInput {
  query?: {
    q?: string | undefined;
    artistId?: string | undefined;
    status?: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled" | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListEventsResult = {
  items: {
    id: string;
    title: string;
    titleEn: string | null;
    status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
    artist: {
      id: string;
      name: string;
      nameEn: string | null;
    };
    venue: {
      id: string;
      name: string;
      nameEn: string | null;
    };
    /** ISO 8601 */
    startsAt: string;
    /** ISO 8601 */
    doorsAt: string | null;
    /** ISO 8601 */
    saleOpensAt: string;
    /** ISO 8601 */
    saleClosesAt: string;
    imageUrl: string | null;
    hot: boolean;
    priceMinKrw: number;
    priceMaxKrw: number;
  }[];
  nextCursor: string | null;
};

export interface ListManualPaymentsInput {
  query?: {
    cursor?: string | undefined;
    limit?: number | undefined;
    kind?: "unknown_outcome" | "refund_stuck" | "unknown_order" | "tickets_in_use" | "amount_differs" | "late_deposit" | "reversed_in_use" | "refunded_elsewhere" | undefined;
    resolved?: boolean | undefined;
  };
}

export type ListManualPaymentsResult = {
  items: {
    id: string;
    kind: "unknown_outcome" | "refund_stuck" | "unknown_order" | "tickets_in_use" | "amount_differs" | "late_deposit" | "reversed_in_use" | "refunded_elsewhere";
    orderId: string | null;
    paymentId: string | null;
    refundId: string | null;
    provider: string | null;
    paymentKey: string | null;
    amountKrw: number | null;
    detail: string;
    /** ISO 8601 */
    openedAt: string;
    /** ISO 8601 */
    resolvedAt: string | null;
    resolution: string | null;
  }[];
  nextCursor: string | null;
};

export interface ListMyPaymentsInput {
  query?: {
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListMyPaymentsResult = {
  items: {
    id: string;
    orderId: string;
    paymentKey: string | null;
    paymentType: "reservation" | "transfer" | "membership";
    referenceId: string;
    provider: string;
    method: "card" | "virtual_account";
    status: "created" | "capturing" | "unknown" | "waiting_for_deposit" | "captured" | "partially_refunded" | "refunded" | "orphaned" | "reversed" | "failed" | "abandoned" | "expired";
    amountKrw: number;
    capturedKrw: number;
    refundedKrw: number;
    /** on its way back */
    refundPendingKrw: number;
    account: {
      bank: string;
      number: string;
      /** ISO 8601 */
      depositUntil: string;
    } | null;
    declineReason: string | null;
    /** ISO 8601 */
    createdAt: string;
  }[];
  nextCursor: string | null;
};

export interface ListMyReservationsInput {
  query?: {
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListMyReservationsResult = {
  items: {
    id: string;
    /** short, to be read aloud */
    reservationNumber: string;
    eventId: string;
    status: "pending" | "paying" | "waiting_for_deposit" | "confirmed" | "partially_cancelled" | "cancelled" | "expired" | "released";
    paymentStatus: "none" | "pending" | "paid" | "refund_requested" | "partially_refunded" | "refunded";
    seats: {
      seatId: string;
      section: string;
      row: string;
      label: string;
      grade: string;
      priceKrw: number;
    }[];
    items: {
      ticketTypeId: string;
      areaId: string;
      quantity: number;
      /** of one */
      priceKrw: number;
    }[];
    feeKrw: number;
    /** seats, standing places and fees together */
    totalKrw: number;
    /** of the hold; what is paid for does not end */
    expiresAt: string;
    /** the largest of its seats, 0 for standing */
    fence: number;
    /** ISO 8601 */
    createdAt: string;
    /** what went back of what was paid */
    refundedKrw: number;
    /** what is on its way back */
    refundPendingKrw: number;
  }[];
  nextCursor: string | null;
};

export interface ListMyTicketsInput {
  query?: {
    cursor?: string | undefined;
    limit?: number | undefined;
    reservationId?: string | undefined;
  };
}

export type ListMyTicketsResult = {
  items: {
    id: string;
    reservationId: string;
    reservationNumber: string;
    eventId: string;
    event: {
      title: string;
      titleEn: string | null;
      venue: string;
      venueEn: string | null;
      /** ISO 8601 */
      startsAt: string;
      /** ISO 8601 */
      doorsAt: string | null;
      cancelled: boolean;
    };
    seat: {
      seatId: string;
      section: string;
      row: string;
      label: string;
      grade: string;
      priceKrw: number;
    } | null;
    area: {
      ticketTypeId: string;
      areaId: string;
      name: string;
      nameEn: string | null;
    } | null;
    priceKrw: number;
    feeKrw: number;
    state: "issued" | "listed" | "checked_in" | "void";
    version: number;
    /** ISO 8601 */
    issuedAt: string;
    /** ISO 8601 */
    checkedInAt: string | null;
    voidReason: string | null;
    /** of a void ticket: what goes back of price and fee, or went; the rest is kept */
    refundKrw: number | null;
  }[];
  nextCursor: string | null;
};

export interface ListSellerArtistsInput {
  query?: {
    q?: string | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
    sellerId?: string | undefined;
  };
}

export type ListSellerArtistsResult = {
  items: {
    id: string;
    name: string;
    nameEn: string | null;
    description: string;
    imageUrl: string | null;
    version: number;
    sellerId: string;
  }[];
  nextCursor: string | null;
};

export interface ListSellerEventsInput {
  query?: {
    q?: string | undefined;
    status?: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled" | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
    sellerId?: string | undefined;
  };
}

export type ListSellerEventsResult = {
  items: {
    id: string;
    sellerId: string;
    status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
    title: string;
    titleEn: string | null;
    description: string;
    descriptionEn: string | null;
    imageUrl: string | null;
    artistId: string | null;
    venueId: string | null;
    layoutId: string | null;
    artist: {
      id: string;
      name: string;
      nameEn: string | null;
    } | null;
    venue: {
      id: string;
      name: string;
      nameEn: string | null;
    } | null;
    /** ISO 8601 */
    startsAt: string | null;
    /** ISO 8601 */
    doorsAt: string | null;
    /** ISO 8601 */
    saleOpensAt: string | null;
    /** ISO 8601 */
    saleClosesAt: string | null;
    prices: {
      grade: string;
      priceKrw: number;
    }[];
    standingPrices: {
      areaId: string;
      priceKrw: number;
      ticketTypeId: string;
    }[];
    phases: {
      tier: string;
      /** ISO 8601 */
      opensAt: string;
    }[];
    purchaseLimit: number;
    hot: boolean;
    queueEnabled: boolean;
    queueThreshold: number | null;
    seatReturnDelayMaxSeconds: number;
    /** ISO 8601 */
    publishedAt: string | null;
    /** ISO 8601 */
    cancelledAt: string | null;
    cancelReason: string | null;
    views: number;
    version: number;
    problems: {
      field: string;
      message: string;
    }[];
  }[];
  nextCursor: string | null;
};

export interface ListSellerLayoutsInput {
  query?: {
    cursor?: string | undefined;
    limit?: number | undefined;
    venueId?: string | undefined;
    sellerId?: string | undefined;
  };
}

export type ListSellerLayoutsResult = {
  items: {
    id: string;
    venueId: string;
    name: string;
    seatCount: number;
    standingCapacity: number;
    seatsByGrade: {
      grade: string;
      seats: number;
    }[];
    standingAreas: {
      id: string;
      name: string;
      nameEn: string | null;
      capacity: number;
    }[];
    version: number;
    sellerId: string;
  }[];
  nextCursor: string | null;
};

export interface ListSellerVenuesInput {
  query?: {
    q?: string | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
    sellerId?: string | undefined;
  };
}

export type ListSellerVenuesResult = {
  items: {
    id: string;
    name: string;
    nameEn: string | null;
    address: string;
    addressEn: string | null;
    version: number;
    sellerId: string;
  }[];
  nextCursor: string | null;
};

export type ListSignInProvidersResult = {
  items: {
    id: string;
    label: string;
  }[];
};

export interface ListUsersInput {
  query?: {
    q?: string | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListUsersResult = {
  items: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    /** ISO 8601 */
    createdAt: string;
    /** ISO 8601 */
    disabledAt: string | null;
  }[];
  nextCursor: string | null;
};

export interface ListVenuesInput {
  query?: {
    q?: string | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListVenuesResult = {
  items: {
    id: string;
    name: string;
    nameEn: string | null;
    address: string;
    addressEn: string | null;
    version: number;
  }[];
  nextCursor: string | null;
};

export interface LoginInput {
  body: {
    email: string;
    password: string;
  };
}

export type LoginResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
  accessToken: string;
};

export interface LogoutInput {
  body?: {
    refreshToken?: string;
  } | null;
}

export type LogoutResult = undefined;

export interface PauseQueueInput {
  params: {
    eventId: string;
  };
}

export type PauseQueueResult = {
  threshold: number;
  paused: boolean;
  /** no new entrants */
  closed: boolean;
  message: string | null;
};

export interface PauseRoomInput {
  params: {
    eventId: string;
  };
}

export type PauseRoomResult = {
  eventId: string;
  title: string;
  isActive: boolean;
  phase: "prequeue" | "frozen" | "open" | "paused" | "closed";
  era: number;
  epoch: number;
  totalInQueue: number;
  serving: number;
  servingLine: number;
  lastLine: number;
  waitingCount: number;
  /** people a second as set; `auto`: by the line behind. null: as configured */
  rate: number | "auto" | null;
  ramp: {
    /** ISO 8601 */
    at: string;
    /** people a second */
    rate: number;
  }[] | null;
  admitWithinSeconds: number;
  soldOut: boolean;
  /** people a second at this moment */
  rateNow: number;
  measuredRate: number | null;
  paused: boolean;
  /** ISO 8601 */
  opensAt: string | null;
  /** ISO 8601 */
  closesAt: string | null;
  message: string | null;
  failMode: "open" | "closed";
  proofDigits: number | null;
  draw: {
    stage: "entering" | "frozen" | "drawn" | "void";
    /** operator: no public randomness, the operator has to be trusted */
    beacon: "drand" | "operator";
    signInRequired: boolean;
    entries: number;
    round: number | null;
  } | null;
};

export interface PaymentWebhookInput {
  params: {
    provider: "sandbox" | "toss";
  };
  body: Record<string, unknown>;
}

export type PaymentWebhookResult = {
  received: boolean;
};

export interface PreparePaymentInput {
  body: {
    paymentType: "reservation" | "transfer" | "membership";
    referenceId: string;
    method: "card" | "virtual_account";
    refundAccount?: {
      bank: string;
      number: string;
      holder: string;
    };
  };
}

export type PreparePaymentResult = {
  orderId: string;
  orderName: string;
  paymentType: "reservation" | "transfer" | "membership";
  referenceId: string;
  amountKrw: number;
  provider: string;
  method: "card" | "virtual_account";
  clientKey: string | null;
  /** the script of the provider's window */
  sdkUrl: string | null;
  /** ISO 8601 */
  expiresAt: string;
};

export interface ProcessPaymentInput {
  body: {
    orderId: string;
    card?: {
      number: string;
      expiry?: string;
      owner?: string;
    };
  };
}

export type ProcessPaymentResult = {
  payment: {
    id: string;
    orderId: string;
    paymentKey: string | null;
    paymentType: "reservation" | "transfer" | "membership";
    referenceId: string;
    provider: string;
    method: "card" | "virtual_account";
    status: "created" | "capturing" | "unknown" | "waiting_for_deposit" | "captured" | "partially_refunded" | "refunded" | "orphaned" | "reversed" | "failed" | "abandoned" | "expired";
    amountKrw: number;
    capturedKrw: number;
    refundedKrw: number;
    /** on its way back */
    refundPendingKrw: number;
    account: {
      bank: string;
      number: string;
      /** ISO 8601 */
      depositUntil: string;
    } | null;
    declineReason: string | null;
    /** ISO 8601 */
    createdAt: string;
  };
  reservation?: {
    id: string;
    reservationNumber: string;
    eventId: string;
    status: string;
    paymentStatus: string;
    /** ISO 8601 */
    expiresAt: string;
    /** how often it can still be tried to be paid for */
    attemptsLeft: number;
  };
};

export interface PublishEventInput {
  params: {
    eventId: string;
  };
}

export type PublishEventResult = {
  id: string;
  sellerId: string;
  status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
  title: string;
  titleEn: string | null;
  description: string;
  descriptionEn: string | null;
  imageUrl: string | null;
  artistId: string | null;
  venueId: string | null;
  layoutId: string | null;
  artist: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  venue: {
    id: string;
    name: string;
    nameEn: string | null;
  } | null;
  /** ISO 8601 */
  startsAt: string | null;
  /** ISO 8601 */
  doorsAt: string | null;
  /** ISO 8601 */
  saleOpensAt: string | null;
  /** ISO 8601 */
  saleClosesAt: string | null;
  prices: {
    grade: string;
    priceKrw: number;
  }[];
  standingPrices: {
    areaId: string;
    priceKrw: number;
    ticketTypeId: string;
  }[];
  phases: {
    tier: string;
    /** ISO 8601 */
    opensAt: string;
  }[];
  purchaseLimit: number;
  hot: boolean;
  queueEnabled: boolean;
  queueThreshold: number | null;
  seatReturnDelayMaxSeconds: number;
  /** ISO 8601 */
  publishedAt: string | null;
  /** ISO 8601 */
  cancelledAt: string | null;
  cancelReason: string | null;
  views: number;
  version: number;
  problems: {
    field: string;
    message: string;
  }[];
};

export interface RefreshSessionInput {
  body?: {
    refreshToken?: string;
  } | null;
}

export type RefreshSessionResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
  accessToken: string;
  refreshToken?: string;
};

export interface RegisterInput {
  body: {
    email: string;
    password: string;
    name: string;
  };
}

export type RegisterResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
};

export interface ReserveBestAvailableInput {
  body: {
    eventId: string;
    count: number;
    grade?: string;
    section?: string;
    together: boolean;
    maxPriceKrw?: number;
    /** an own pending reservation, released if and only if the new one is granted */
    replaces?: string;
  };
}

export type ReserveBestAvailableResult = {
  id: string;
  /** short, to be read aloud */
  reservationNumber: string;
  eventId: string;
  status: "pending" | "paying" | "waiting_for_deposit" | "confirmed" | "partially_cancelled" | "cancelled" | "expired" | "released";
  paymentStatus: "none" | "pending" | "paid" | "refund_requested" | "partially_refunded" | "refunded";
  seats: {
    seatId: string;
    section: string;
    row: string;
    label: string;
    grade: string;
    priceKrw: number;
  }[];
  items: {
    ticketTypeId: string;
    areaId: string;
    quantity: number;
    /** of one */
    priceKrw: number;
  }[];
  feeKrw: number;
  /** seats, standing places and fees together */
  totalKrw: number;
  /** of the hold; what is paid for does not end */
  expiresAt: string;
  /** the largest of its seats, 0 for standing */
  fence: number;
  /** ISO 8601 */
  createdAt: string;
};

export interface ReserveSeatsInput {
  body: {
    eventId: string;
    seatIds: string[];
    /** an own pending reservation, released if and only if the new one is granted */
    replaces?: string;
  };
}

export type ReserveSeatsResult = {
  id: string;
  /** short, to be read aloud */
  reservationNumber: string;
  eventId: string;
  status: "pending" | "paying" | "waiting_for_deposit" | "confirmed" | "partially_cancelled" | "cancelled" | "expired" | "released";
  paymentStatus: "none" | "pending" | "paid" | "refund_requested" | "partially_refunded" | "refunded";
  seats: {
    seatId: string;
    section: string;
    row: string;
    label: string;
    grade: string;
    priceKrw: number;
  }[];
  items: {
    ticketTypeId: string;
    areaId: string;
    quantity: number;
    /** of one */
    priceKrw: number;
  }[];
  feeKrw: number;
  /** seats, standing places and fees together */
  totalKrw: number;
  /** of the hold; what is paid for does not end */
  expiresAt: string;
  /** the largest of its seats, 0 for standing */
  fence: number;
  /** ISO 8601 */
  createdAt: string;
};

export interface ReserveStandingInput {
  body: {
    eventId: string;
    items: {
      ticketTypeId: string;
      quantity: number;
    }[];
    /** an own pending reservation, released if and only if the new one is granted */
    replaces?: string;
  };
}

export type ReserveStandingResult = {
  id: string;
  /** short, to be read aloud */
  reservationNumber: string;
  eventId: string;
  status: "pending" | "paying" | "waiting_for_deposit" | "confirmed" | "partially_cancelled" | "cancelled" | "expired" | "released";
  paymentStatus: "none" | "pending" | "paid" | "refund_requested" | "partially_refunded" | "refunded";
  seats: {
    seatId: string;
    section: string;
    row: string;
    label: string;
    grade: string;
    priceKrw: number;
  }[];
  items: {
    ticketTypeId: string;
    areaId: string;
    quantity: number;
    /** of one */
    priceKrw: number;
  }[];
  feeKrw: number;
  /** seats, standing places and fees together */
  totalKrw: number;
  /** of the hold; what is paid for does not end */
  expiresAt: string;
  /** the largest of its seats, 0 for standing */
  fence: number;
  /** ISO 8601 */
  createdAt: string;
};

export interface ResolveManualPaymentInput {
  params: {
    manualId: string;
  };
  body: {
    resolution: "retry" | "refund" | "accept" | "never_charged";
    note: string;
  };
}

export type ResolveManualPaymentResult = {
  id: string;
  kind: "unknown_outcome" | "refund_stuck" | "unknown_order" | "tickets_in_use" | "amount_differs" | "late_deposit" | "reversed_in_use" | "refunded_elsewhere";
  orderId: string | null;
  paymentId: string | null;
  refundId: string | null;
  provider: string | null;
  paymentKey: string | null;
  amountKrw: number | null;
  detail: string;
  /** ISO 8601 */
  openedAt: string;
  /** ISO 8601 */
  resolvedAt: string | null;
  resolution: string | null;
};

export interface ResumeQueueInput {
  params: {
    eventId: string;
  };
}

export type ResumeQueueResult = {
  threshold: number;
  paused: boolean;
  /** no new entrants */
  closed: boolean;
  message: string | null;
};

export interface ResumeRoomInput {
  params: {
    eventId: string;
  };
}

export type ResumeRoomResult = {
  eventId: string;
  title: string;
  isActive: boolean;
  phase: "prequeue" | "frozen" | "open" | "paused" | "closed";
  era: number;
  epoch: number;
  totalInQueue: number;
  serving: number;
  servingLine: number;
  lastLine: number;
  waitingCount: number;
  /** people a second as set; `auto`: by the line behind. null: as configured */
  rate: number | "auto" | null;
  ramp: {
    /** ISO 8601 */
    at: string;
    /** people a second */
    rate: number;
  }[] | null;
  admitWithinSeconds: number;
  soldOut: boolean;
  /** people a second at this moment */
  rateNow: number;
  measuredRate: number | null;
  paused: boolean;
  /** ISO 8601 */
  opensAt: string | null;
  /** ISO 8601 */
  closesAt: string | null;
  message: string | null;
  failMode: "open" | "closed";
  proofDigits: number | null;
  draw: {
    stage: "entering" | "frozen" | "drawn" | "void";
    /** operator: no public randomness, the operator has to be trusted */
    beacon: "drand" | "operator";
    signInRequired: boolean;
    entries: number;
    round: number | null;
  } | null;
};

export interface SandboxDepositInput {
  params: {
    orderId: string;
    act: "deposit" | "reverse";
  };
}

export type SandboxDepositResult = {
  done: boolean;
};

export interface SendQueueHeartbeatInput {
  params: {
    eventId: string;
  };
}

export type SendQueueHeartbeatResult = undefined;

export interface SetQueueMessageInput {
  params: {
    eventId: string;
  };
  body: {
    message: string | null;
  };
}

export type SetQueueMessageResult = {
  threshold: number;
  paused: boolean;
  /** no new entrants */
  closed: boolean;
  message: string | null;
};

export interface SetQueueThresholdInput {
  params: {
    eventId: string;
  };
  body: {
    threshold: number;
  };
}

export type SetQueueThresholdResult = {
  threshold: number;
  paused: boolean;
  /** no new entrants */
  closed: boolean;
  message: string | null;
};

export interface SetRoomBrandingInput {
  params: {
    eventId: string;
  };
  body: {
    name: string | null;
    logo: string | null;
    title: {
      ko: string | null;
      en: string | null;
    };
    heading: {
      ko: string | null;
      en: string | null;
    };
    body: {
      ko: string | null;
      en: string | null;
    };
    colours: {
      accent: string | null;
      onAccent: string | null;
    };
  };
}

export type SetRoomBrandingResult = {
  name: string | null;
  logo: string | null;
  title: {
    ko: string | null;
    en: string | null;
  };
  heading: {
    ko: string | null;
    en: string | null;
  };
  body: {
    ko: string | null;
    en: string | null;
  };
  colours: {
    accent: string | null;
    onAccent: string | null;
  };
};

export interface SetRoomMessageInput {
  params: {
    eventId: string;
  };
  body: {
    message: string | null;
  };
}

export type SetRoomMessageResult = {
  eventId: string;
  title: string;
  isActive: boolean;
  phase: "prequeue" | "frozen" | "open" | "paused" | "closed";
  era: number;
  epoch: number;
  totalInQueue: number;
  serving: number;
  servingLine: number;
  lastLine: number;
  waitingCount: number;
  /** people a second as set; `auto`: by the line behind. null: as configured */
  rate: number | "auto" | null;
  ramp: {
    /** ISO 8601 */
    at: string;
    /** people a second */
    rate: number;
  }[] | null;
  admitWithinSeconds: number;
  soldOut: boolean;
  /** people a second at this moment */
  rateNow: number;
  measuredRate: number | null;
  paused: boolean;
  /** ISO 8601 */
  opensAt: string | null;
  /** ISO 8601 */
  closesAt: string | null;
  message: string | null;
  failMode: "open" | "closed";
  proofDigits: number | null;
  draw: {
    stage: "entering" | "frozen" | "drawn" | "void";
    /** operator: no public randomness, the operator has to be trusted */
    beacon: "drand" | "operator";
    signInRequired: boolean;
    entries: number;
    round: number | null;
  } | null;
};

export interface SetRoomScheduleInput {
  params: {
    eventId: string;
  };
  body: {
    /** ISO 8601 */
    opensAt?: string | null;
    rate?: number | "auto" | null;
    ramp?: {
      /** ISO 8601 */
      at: string;
      /** people a second */
      rate: number;
    }[] | null;
    /** of `auto`: what may wait behind */
    admitWithinSeconds?: number | null;
    /** work before a number: each step makes it 16 times as hard; 3 takes a phone about a second. null: none */
    proofDigits?: number | null;
    /** what guards make of the room when nobody has confirmed it for ten minutes */
    failMode?: "open" | "closed";
  };
}

export type SetRoomScheduleResult = {
  eventId: string;
  title: string;
  isActive: boolean;
  phase: "prequeue" | "frozen" | "open" | "paused" | "closed";
  era: number;
  epoch: number;
  totalInQueue: number;
  serving: number;
  servingLine: number;
  lastLine: number;
  waitingCount: number;
  /** people a second as set; `auto`: by the line behind. null: as configured */
  rate: number | "auto" | null;
  ramp: {
    /** ISO 8601 */
    at: string;
    /** people a second */
    rate: number;
  }[] | null;
  admitWithinSeconds: number;
  soldOut: boolean;
  /** people a second at this moment */
  rateNow: number;
  measuredRate: number | null;
  paused: boolean;
  /** ISO 8601 */
  opensAt: string | null;
  /** ISO 8601 */
  closesAt: string | null;
  message: string | null;
  failMode: "open" | "closed";
  proofDigits: number | null;
  draw: {
    stage: "entering" | "frozen" | "drawn" | "void";
    /** operator: no public randomness, the operator has to be trusted */
    beacon: "drand" | "operator";
    signInRequired: boolean;
    entries: number;
    round: number | null;
  } | null;
};

export interface StartOidcSignInInput {
  params: {
    provider: string;
  };
  query?: {
    returnTo?: string | undefined;
  };
}

export type StartOidcSignInResult = undefined;

export interface StreamQueueInput {
  params: {
    eventId: string;
  };
}

export type StreamQueueResult = string;

export interface StreamSeatsInput {
  params: {
    eventId: string;
  };
  query?: {
    since?: number | undefined;
  };
}

export type StreamSeatsResult = {
  version: number;
  /** too far behind: read the whole map again */
  resync: boolean;
  seats: [number, number][];
  grades: {
    grade: string;
    priceKrw: number;
    left: number;
  }[];
  areas: {
    ticketTypeId: string;
    left: number;
  }[];
};

export interface SyncCheckInsInput {
  params: {
    eventId: string;
  };
  body: {
    scans: {
      scanId: string;
      code: string;
      gate?: string;
      /** ISO 8601 */
      scannedAt: string;
    }[];
  };
}

export type SyncCheckInsResult = {
  results: {
    scanId: string;
    verdict: "admitted" | "used" | "void" | "replaced" | "listed" | "other_event" | "invalid" | "unknown";
    ticketId: string | null;
    /** another scan let the same ticket in, too */
    conflict: boolean;
    /** ISO 8601 */
    checkedInAt: string | null;
    gate: string | null;
  }[];
};

export interface TraceQueueUserInput {
  params: {
    eventId: string;
    userId: string;
  };
}

export type TraceQueueUserResult = {
  userId: string;
  place: "waiting" | "parked" | "active" | "none";
  /** in words */
  why: string;
  position: number | null;
  order: number | null;
  /** ISO 8601 */
  seenAt: string | null;
  /** ISO 8601 */
  slotEndsAt: string | null;
  claimed: boolean | null;
  /** was admitted once, did not come, and was put back */
  returned: boolean;
};

export interface TraceRequestInput {
  params: {
    requestId: string;
  };
}

export type TraceRequestResult = {
  eventId: string;
  era: number;
  position: number | null;
  entry: number | null;
  visitor: string;
  /** ISO 8601 */
  issuedAt: string;
  /** ISO 8601 */
  endsAt: string | null;
  line: number | null;
  servingLine: number | null;
  ahead: number | null;
  state: "over" | "off" | "served" | "drawing" | "waiting";
  why: string;
};

export interface UnblockSeatsInput {
  params: {
    eventId: string;
  };
  body: {
    seatIds: string[];
    reason: string;
  };
}

export type UnblockSeatsResult = {
  changed: number;
};

export interface UnsetQueueThresholdInput {
  params: {
    eventId: string;
  };
}

export type UnsetQueueThresholdResult = {
  threshold: number;
  paused: boolean;
  /** no new entrants */
  closed: boolean;
  message: string | null;
};

export interface VerifyTokenInput {
  body: {
    token: string;
  };
}

export type VerifyTokenResult = {
  valid: boolean;
  reason?: "expired" | "invalid";
  claims?: {
    sub: string;
    email: string;
    role: "buyer" | "seller" | "operator" | "admin";
    iat: number;
    exp: number;
  };
};

export interface Client {
  /** Switch the room on; repeating it changes nothing */
  activateRoom(input: ActivateRoomInput, options?: CallOptions): Promise<ActivateRoomResult>;
  /** Serve so many places at once, never past the last number */
  advanceRoom(input: AdvanceRoomInput, options?: CallOptions): Promise<AdvanceRoomResult>;
  /** Take a number, or be told the one that this browser has */
  assignNumber(input: AssignNumberInput, options?: CallOptions): Promise<AssignNumberResult>;
  /** Take free seats out of the sale, all or none */
  blockSeats(input: BlockSeatsInput, options?: CallOptions): Promise<BlockSeatsResult>;
  /** Call an event off; buyers are refunded in full. Repeating it changes nothing */
  cancelEvent(input: CancelEventInput, options?: CallOptions): Promise<CancelEventResult>;
  /** Cancel tickets and give their money back, by the policy for their owner, in full for staff; or give goodwill */
  cancelPayment(input: CancelPaymentInput, options?: CallOptions): Promise<CancelPaymentResult>;
  /** Give a hold up at once, or cancel all or some tickets of a confirmed reservation */
  cancelReservation(input: CancelReservationInput, options?: CallOptions): Promise<CancelReservationResult>;
  /** Replace what is known of an artist */
  changeArtist(input: ChangeArtistInput, options?: CallOptions): Promise<ChangeArtistResult>;
  /** Replace the facts of an event */
  changeEvent(input: ChangeEventInput, options?: CallOptions): Promise<ChangeEventResult>;
  /** Redraw a layout that no published event uses */
  changeLayout(input: ChangeLayoutInput, options?: CallOptions): Promise<ChangeLayoutResult>;
  /** Change the role of a user */
  changeUserRole(input: ChangeUserRoleInput, options?: CallOptions): Promise<ChangeUserRoleResult>;
  /** Replace what is known of a venue */
  changeVenue(input: ChangeVenueInput, options?: CallOptions): Promise<ChangeVenueResult>;
  /** Let the holder of a ticket in. One wins; the second sees when and where the first was */
  checkIn(input: CheckInInput, options?: CallOptions): Promise<CheckInResult>;
  /** Enter the queue of an event, or come back to it */
  checkQueue(input: CheckQueueInput, options?: CallOptions): Promise<CheckQueueResult>;
  /** May I go on? The pass, once the number is served */
  checkWaitingRoom(input: CheckWaitingRoomInput, options?: CallOptions): Promise<CheckWaitingRoomResult>;
  /** End every waiting place that is there now, for good; slots stay */
  clearQueue(input: ClearQueueInput, options?: CallOptions): Promise<ClearQueueResult>;
  /** No new entrants; those who wait go on */
  closeQueue(input: CloseQueueInput, options?: CallOptions): Promise<CloseQueueResult>;
  /** Take the money for an order, once. Repeating it says what became of it */
  confirmPayment(input: ConfirmPaymentInput, options?: CallOptions): Promise<ConfirmPaymentResult>;
  /** Confirm a reservation that costs nothing. Repeating it is harmless */
  confirmReservation(input: ConfirmReservationInput, options?: CallOptions): Promise<ConfirmReservationResult>;
  /** Add an artist */
  createArtist(input: CreateArtistInput, options?: CallOptions): Promise<CreateArtistResult>;
  /** Begin a draft */
  createEvent(input: CreateEventInput, options?: CallOptions): Promise<CreateEventResult>;
  /** Draw a hall: sections, rows, seats, standing areas */
  createLayout(input: CreateLayoutInput, options?: CallOptions): Promise<CreateLayoutResult>;
  /** Add a venue */
  createVenue(input: CreateVenueInput, options?: CallOptions): Promise<CreateVenueResult>;
  /** Switch the room off: everybody goes on */
  deactivateRoom(input: DeactivateRoomInput, options?: CallOptions): Promise<DeactivateRoomResult>;
  /** Remove an artist who has no events */
  deleteArtist(input: DeleteArtistInput, options?: CallOptions): Promise<DeleteArtistResult>;
  /** Throw a draft away */
  deleteEvent(input: DeleteEventInput, options?: CallOptions): Promise<DeleteEventResult>;
  /** Remove a layout that no event uses */
  deleteLayout(input: DeleteLayoutInput, options?: CallOptions): Promise<DeleteLayoutResult>;
  /** Delete my account */
  deleteMe(input?: DeleteMeInput, options?: CallOptions): Promise<DeleteMeResult>;
  /** Remove a venue that has neither layouts nor events */
  deleteVenue(input: DeleteVenueInput, options?: CallOptions): Promise<DeleteVenueResult>;
  /** Disable a user */
  disableUser(input: DisableUserInput, options?: CallOptions): Promise<DisableUserResult>;
  /** Enable a disabled user again */
  enableUser(input: EnableUserInput, options?: CallOptions): Promise<EnableUserResult>;
  /** Take the slot of a user away */
  endQueueSlot(input: EndQueueSlotInput, options?: CallOptions): Promise<EndQueueSlotResult>;
  /** Enter through the bus: answered before the place is taken */
  enterQueue(input: EnterQueueInput, options?: CallOptions): Promise<EnterQueueResult>;
  /** A layout as a table of seats (CSV) or as a seating plan of pretix (JSON) */
  exportLayout(input: ExportLayoutInput, options?: CallOptions): Promise<ExportLayoutResult>;
  /** Download everything that is kept of me */
  exportMe(input?: undefined, options?: CallOptions): Promise<ExportMeResult>;
  /** Return from a provider */
  finishOidcSignIn(input: FinishOidcSignInInput, options?: CallOptions): Promise<FinishOidcSignInResult>;
  /** One artist */
  getArtist(input: GetArtistInput, options?: CallOptions): Promise<GetArtistResult>;
  /** Name, logo, colours and texts of the waiting page */
  getBranding(input: GetBrandingInput, options?: CallOptions): Promise<GetBrandingResult>;
  /** The work that comes before a number, where the room asks for some */
  getChallenge(input: GetChallengeInput, options?: CallOptions): Promise<GetChallengeResult>;
  /** What a scanner needs without a network: public keys and the tickets that are no longer good */
  getCheckInBundle(input: GetCheckInBundleInput, options?: CallOptions): Promise<GetCheckInBundleResult>;
  /** The latest draw of an event, whole, for anyone to verify */
  getDraw(input: GetDrawInput, options?: CallOptions): Promise<GetDrawResult>;
  /** One event with prices and sale phases */
  getEvent(input: GetEventInput, options?: CallOptions): Promise<GetEventResult>;
  /** What is sold, held, blocked and free, by grade and area */
  getEventSales(input: GetEventSalesInput, options?: CallOptions): Promise<GetEventSalesResult>;
  /** The drawing of a hall, in columns */
  getLayout(input: GetLayoutInput, options?: CallOptions): Promise<GetLayoutResult>;
  /** Who am I */
  getMe(input?: undefined, options?: CallOptions): Promise<GetMeResult>;
  /** How an order of mine stands */
  getOrder(input: GetOrderInput, options?: CallOptions): Promise<GetOrderResult>;
  /** A queue as its operator sees it */
  getQueueOverview(input: GetQueueOverviewInput, options?: CallOptions): Promise<GetQueueOverviewResult>;
  /** Where am I */
  getQueueStatus(input: GetQueueStatusInput, options?: CallOptions): Promise<GetQueueStatusResult>;
  /** What a cancellation would give back now, ticket by ticket */
  getRefundQuote(input: GetRefundQuoteInput, options?: CallOptions): Promise<GetRefundQuoteResult>;
  /** One of my reservations */
  getReservation(input: GetReservationInput, options?: CallOptions): Promise<GetReservationResult>;
  /** A room as its operator sees it */
  getRoomOverview(input: GetRoomOverviewInput, options?: CallOptions): Promise<GetRoomOverviewResult>;
  /** How far the line is, the same for everybody */
  getRoomStatus(input: GetRoomStatusInput, options?: CallOptions): Promise<GetRoomStatusResult>;
  /** The whole seat map, and the own reservation */
  getSeatMap(input: GetSeatMapInput, options?: CallOptions): Promise<GetSeatMapResult>;
  /** The seats of one section as a list */
  getSectionSeats(input: GetSectionSeatsInput, options?: CallOptions): Promise<GetSectionSeatsResult>;
  /** One of my events, and what still keeps it from being sold */
  getSellerEvent(input: GetSellerEventInput, options?: CallOptions): Promise<GetSellerEventResult>;
  /** A layout in the form in which it is drawn */
  getSellerLayout(input: GetSellerLayoutInput, options?: CallOptions): Promise<GetSellerLayoutResult>;
  /** One of my tickets */
  getTicket(input: GetTicketInput, options?: CallOptions): Promise<GetTicketResult>;
  /** What opens the door: as JSON, or as a picture for `Accept: image/svg+xml` */
  getTicketQr(input: GetTicketQrInput, options?: CallOptions): Promise<GetTicketQrResult>;
  /** How much is left of one ticket type */
  getTicketTypeAvailability(input: GetTicketTypeAvailabilityInput, options?: CallOptions): Promise<GetTicketTypeAvailabilityResult>;
  /** The clock that sales open by */
  getTime(input?: undefined, options?: CallOptions): Promise<GetTimeResult>;
  /** One user */
  getUser(input: GetUserInput, options?: CallOptions): Promise<GetUserResult>;
  /** One venue and its newest layouts */
  getVenue(input: GetVenueInput, options?: CallOptions): Promise<GetVenueResult>;
  /** Make a layout from a table of seats (CSV) or a seating plan of pretix (JSON) */
  importLayout(input: ImportLayoutInput, options?: CallOptions): Promise<ImportLayoutResult>;
  /** Give up the place or the slot, at once and for good */
  leaveQueue(input: LeaveQueueInput, options?: CallOptions): Promise<LeaveQueueResult>;
  /** Artists by name */
  listArtists(input?: ListArtistsInput, options?: CallOptions): Promise<ListArtistsResult>;
  /** What is sold for an event and how much is left */
  listEventTickets(input: ListEventTicketsInput, options?: CallOptions): Promise<ListEventTicketsResult>;
  /** What is on and what opens when */
  listEvents(input?: ListEventsInput, options?: CallOptions): Promise<ListEventsResult>;
  /** What a person has to look at, the oldest first */
  listManualPayments(input?: ListManualPaymentsInput, options?: CallOptions): Promise<ListManualPaymentsResult>;
  /** My payments, the newest first */
  listMyPayments(input?: ListMyPaymentsInput, options?: CallOptions): Promise<ListMyPaymentsResult>;
  /** My reservations, the newest first */
  listMyReservations(input?: ListMyReservationsInput, options?: CallOptions): Promise<ListMyReservationsResult>;
  /** My tickets, the newest first */
  listMyTickets(input?: ListMyTicketsInput, options?: CallOptions): Promise<ListMyTicketsResult>;
  /** Artists that I look after */
  listSellerArtists(input?: ListSellerArtistsInput, options?: CallOptions): Promise<ListSellerArtistsResult>;
  /** My events, drafts included, the newest first */
  listSellerEvents(input?: ListSellerEventsInput, options?: CallOptions): Promise<ListSellerEventsResult>;
  /** Layouts that I drew, the newest first */
  listSellerLayouts(input?: ListSellerLayoutsInput, options?: CallOptions): Promise<ListSellerLayoutsResult>;
  /** Venues that I look after */
  listSellerVenues(input?: ListSellerVenuesInput, options?: CallOptions): Promise<ListSellerVenuesResult>;
  /** Sign-in providers that are configured */
  listSignInProviders(input?: undefined, options?: CallOptions): Promise<ListSignInProvidersResult>;
  /** List users, newest first */
  listUsers(input?: ListUsersInput, options?: CallOptions): Promise<ListUsersResult>;
  /** Venues by name */
  listVenues(input?: ListVenuesInput, options?: CallOptions): Promise<ListVenuesResult>;
  /** Sign in with email and password */
  login(input: LoginInput, options?: CallOptions): Promise<LoginResult>;
  /** Sign out */
  logout(input?: LogoutInput, options?: CallOptions): Promise<LogoutResult>;
  /** Nobody is admitted until resumed */
  pauseQueue(input: PauseQueueInput, options?: CallOptions): Promise<PauseQueueResult>;
  /** The line stands still; numbers are still given */
  pauseRoom(input: PauseRoomInput, options?: CallOptions): Promise<PauseRoomResult>;
  /** A hint from a provider that something has changed. It is asked what; the hint itself is not believed */
  paymentWebhook(input: PaymentWebhookInput, options?: CallOptions): Promise<PaymentWebhookResult>;
  /** What is to be paid, decided by the server; extends the hold once. Repeating it gives the same order */
  preparePayment(input: PreparePaymentInput, options?: CallOptions): Promise<PreparePaymentResult>;
  /** Pay by a card of the sandbox, in one step; or open its virtual account (no card). Answers as confirm does */
  processPayment(input: ProcessPaymentInput, options?: CallOptions): Promise<ProcessPaymentResult>;
  /** Make an event public; repeating it changes nothing */
  publishEvent(input: PublishEventInput, options?: CallOptions): Promise<PublishEventResult>;
  /** Exchange the refresh token for a new pair */
  refreshSession(input?: RefreshSessionInput, options?: CallOptions): Promise<RefreshSessionResult>;
  /** Register with email and password */
  register(input: RegisterInput, options?: CallOptions): Promise<RegisterResult>;
  /** Hold the best seats that fit */
  reserveBestAvailable(input: ReserveBestAvailableInput, options?: CallOptions): Promise<ReserveBestAvailableResult>;
  /** Hold these seats, all or none. The own same seats again: 200 and the same reservation */
  reserveSeats(input: ReserveSeatsInput, options?: CallOptions): Promise<ReserveSeatsResult>;
  /** Hold standing and general admission */
  reserveStanding(input: ReserveStandingInput, options?: CallOptions): Promise<ReserveStandingResult>;
  /** Say what was done about it; audited */
  resolveManualPayment(input: ResolveManualPaymentInput, options?: CallOptions): Promise<ResolveManualPaymentResult>;
  /** Go on after a pause or a close */
  resumeQueue(input: ResumeQueueInput, options?: CallOptions): Promise<ResumeQueueResult>;
  /** The line goes on */
  resumeRoom(input: ResumeRoomInput, options?: CallOptions): Promise<ResumeRoomResult>;
  /** Play the bank of the sandbox: the deposit of a virtual account comes, or is taken back */
  sandboxDeposit(input: SandboxDepositInput, options?: CallOptions): Promise<SandboxDepositResult>;
  /** I am still here */
  sendQueueHeartbeat(input: SendQueueHeartbeatInput, options?: CallOptions): Promise<SendQueueHeartbeatResult>;
  /** A sentence shown on the waiting pages; null takes it away */
  setQueueMessage(input: SetQueueMessageInput, options?: CallOptions): Promise<SetQueueMessageResult>;
  /** How many may shop at once; lowering drains and evicts nobody */
  setQueueThreshold(input: SetQueueThresholdInput, options?: CallOptions): Promise<SetQueueThresholdResult>;
  /** Name, logo, colours and texts of the waiting page; null is as usual */
  setRoomBranding(input: SetRoomBrandingInput, options?: CallOptions): Promise<SetRoomBrandingResult>;
  /** A sentence shown on the waiting page; null takes it away */
  setRoomMessage(input: SetRoomMessageInput, options?: CallOptions): Promise<SetRoomMessageResult>;
  /** When the line begins to be served, and how fast */
  setRoomSchedule(input: SetRoomScheduleInput, options?: CallOptions): Promise<SetRoomScheduleResult>;
  /** Sign in with a provider */
  startOidcSignIn(input: StartOidcSignInInput, options?: CallOptions): Promise<StartOidcSignInResult>;
  /** Server-sent events: RANK_UPDATE, ACTIVE_TURN, ENTRY_TOKEN, PLACE_OVER */
  streamQueue(input: StreamQueueInput, options?: CallOptions): Promise<StreamQueueResult>;
  /** Changes of the seat map: server-sent events SEATS and RESYNC, or, with `since`, one answer */
  streamSeats(input: StreamSeatsInput, options?: CallOptions): Promise<StreamSeatsResult>;
  /** Send scans that were made without a network. Repeating it is harmless */
  syncCheckIns(input: SyncCheckInsInput, options?: CallOptions): Promise<SyncCheckInsResult>;
  /** Where is this person, and why */
  traceQueueUser(input: TraceQueueUserInput, options?: CallOptions): Promise<TraceQueueUserResult>;
  /** Where is the visitor with this requestId, and why */
  traceRequest(input: TraceRequestInput, options?: CallOptions): Promise<TraceRequestResult>;
  /** Put blocked seats back into the sale, all or none */
  unblockSeats(input: UnblockSeatsInput, options?: CallOptions): Promise<UnblockSeatsResult>;
  /** The event's own threshold counts again, or the configured one */
  unsetQueueThreshold(input: UnsetQueueThresholdInput, options?: CallOptions): Promise<UnsetQueueThresholdResult>;
  /** Is this access token good */
  verifyToken(input: VerifyTokenInput, options?: CallOptions): Promise<VerifyTokenResult>;
}

export function createClient(options: ClientOptions = {}): Client {
  const call = createCaller(options);
  return {
    activateRoom: (input, options) => call('POST', '/api/admin/vwr/activate/{eventId}', input, options),
    advanceRoom: (input, options) => call('POST', '/api/admin/vwr/advance/{eventId}', input, options),
    assignNumber: (input, options) => call('POST', '/vwr/assign/{eventId}', input, options),
    blockSeats: (input, options) => call('POST', '/api/seller/events/{eventId}/seats/block', input, options),
    cancelEvent: (input, options) => call('POST', '/api/seller/events/{eventId}/cancel', input, options),
    cancelPayment: (input, options) => call('POST', '/api/payments/{paymentKey}/cancel', input, options),
    cancelReservation: (input, options) => call('POST', '/api/reservations/{reservationId}/cancel', input, options),
    changeArtist: (input, options) => call('PUT', '/api/seller/artists/{artistId}', input, options),
    changeEvent: (input, options) => call('PUT', '/api/seller/events/{eventId}', input, options),
    changeLayout: (input, options) => call('PUT', '/api/seller/layouts/{layoutId}', input, options),
    changeUserRole: (input, options) => call('PUT', '/api/admin/users/{userId}/role', input, options),
    changeVenue: (input, options) => call('PUT', '/api/seller/venues/{venueId}', input, options),
    checkIn: (input, options) => call('POST', '/api/check-in', input, options),
    checkQueue: (input, options) => call('POST', '/api/queue/check/{eventId}', input, options),
    checkWaitingRoom: (input, options) => call('GET', '/vwr/check/{eventId}/{requestId}', input, options),
    clearQueue: (input, options) => call('POST', '/api/queue/admin/{eventId}/clear', input, options),
    closeQueue: (input, options) => call('POST', '/api/queue/admin/{eventId}/close', input, options),
    confirmPayment: (input, options) => call('POST', '/api/payments/confirm', input, options),
    confirmReservation: (input, options) => call('POST', '/api/reservations/{reservationId}/confirm', input, options),
    createArtist: (input, options) => call('POST', '/api/seller/artists', input, options),
    createEvent: (input, options) => call('POST', '/api/seller/events', input, options),
    createLayout: (input, options) => call('POST', '/api/seller/layouts', input, options),
    createVenue: (input, options) => call('POST', '/api/seller/venues', input, options),
    deactivateRoom: (input, options) => call('POST', '/api/admin/vwr/deactivate/{eventId}', input, options),
    deleteArtist: (input, options) => call('DELETE', '/api/seller/artists/{artistId}', input, options),
    deleteEvent: (input, options) => call('DELETE', '/api/seller/events/{eventId}', input, options),
    deleteLayout: (input, options) => call('DELETE', '/api/seller/layouts/{layoutId}', input, options),
    deleteMe: (input, options) => call('DELETE', '/api/auth/me', input, options),
    deleteVenue: (input, options) => call('DELETE', '/api/seller/venues/{venueId}', input, options),
    disableUser: (input, options) => call('POST', '/api/admin/users/{userId}/disable', input, options),
    enableUser: (input, options) => call('POST', '/api/admin/users/{userId}/enable', input, options),
    endQueueSlot: (input, options) => call('POST', '/api/queue/admin/{eventId}/users/{userId}/end-slot', input, options),
    enterQueue: (input, options) => call('POST', '/api/queue/enter/{eventId}', input, options),
    exportLayout: (input, options) => call('GET', '/api/seller/layouts/{layoutId}/export', input, options),
    exportMe: (input, options) => call('GET', '/api/auth/me/export', input, options),
    finishOidcSignIn: (input, options) => call('GET', '/api/auth/oidc/{provider}/callback', input, options),
    getArtist: (input, options) => call('GET', '/api/artists/{artistId}', input, options),
    getBranding: (input, options) => call('GET', '/vwr/branding/{eventId}', input, options),
    getChallenge: (input, options) => call('GET', '/vwr/challenge/{eventId}', input, options),
    getCheckInBundle: (input, options) => call('GET', '/api/check-in/events/{eventId}/bundle', input, options),
    getDraw: (input, options) => call('GET', '/vwr/draw/{eventId}', input, options),
    getEvent: (input, options) => call('GET', '/api/events/{eventId}', input, options),
    getEventSales: (input, options) => call('GET', '/api/seller/events/{eventId}/sales', input, options),
    getLayout: (input, options) => call('GET', '/api/layouts/{layoutId}', input, options),
    getMe: (input, options) => call('GET', '/api/auth/me', input, options),
    getOrder: (input, options) => call('GET', '/api/payments/order/{orderId}', input, options),
    getQueueOverview: (input, options) => call('GET', '/api/queue/admin/{eventId}', input, options),
    getQueueStatus: (input, options) => call('GET', '/api/queue/status/{eventId}', input, options),
    getRefundQuote: (input, options) => call('GET', '/api/reservations/{reservationId}/refund-quote', input, options),
    getReservation: (input, options) => call('GET', '/api/reservations/{reservationId}', input, options),
    getRoomOverview: (input, options) => call('GET', '/api/admin/vwr/status/{eventId}', input, options),
    getRoomStatus: (input, options) => call('GET', '/vwr/status/{eventId}', input, options),
    getSeatMap: (input, options) => call('GET', '/api/seats/events/{eventId}', input, options),
    getSectionSeats: (input, options) => call('GET', '/api/seats/events/{eventId}/sections/{section}', input, options),
    getSellerEvent: (input, options) => call('GET', '/api/seller/events/{eventId}', input, options),
    getSellerLayout: (input, options) => call('GET', '/api/seller/layouts/{layoutId}', input, options),
    getTicket: (input, options) => call('GET', '/api/tickets/{ticketId}', input, options),
    getTicketQr: (input, options) => call('GET', '/api/tickets/{ticketId}/qr', input, options),
    getTicketTypeAvailability: (input, options) => call('GET', '/api/tickets/availability/{ticketTypeId}', input, options),
    getTime: (input, options) => call('GET', '/api/time', input, options),
    getUser: (input, options) => call('GET', '/api/admin/users/{userId}', input, options),
    getVenue: (input, options) => call('GET', '/api/venues/{venueId}', input, options),
    importLayout: (input, options) => call('POST', '/api/seller/layouts/import', input, options),
    leaveQueue: (input, options) => call('POST', '/api/queue/leave/{eventId}', input, options),
    listArtists: (input, options) => call('GET', '/api/artists', input, options),
    listEventTickets: (input, options) => call('GET', '/api/tickets/event/{eventId}', input, options),
    listEvents: (input, options) => call('GET', '/api/events', input, options),
    listManualPayments: (input, options) => call('GET', '/api/admin/payments/manual', input, options),
    listMyPayments: (input, options) => call('GET', '/api/payments/user/me', input, options),
    listMyReservations: (input, options) => call('GET', '/api/reservations/my', input, options),
    listMyTickets: (input, options) => call('GET', '/api/tickets/my', input, options),
    listSellerArtists: (input, options) => call('GET', '/api/seller/artists', input, options),
    listSellerEvents: (input, options) => call('GET', '/api/seller/events', input, options),
    listSellerLayouts: (input, options) => call('GET', '/api/seller/layouts', input, options),
    listSellerVenues: (input, options) => call('GET', '/api/seller/venues', input, options),
    listSignInProviders: (input, options) => call('GET', '/api/auth/providers', input, options),
    listUsers: (input, options) => call('GET', '/api/admin/users', input, options),
    listVenues: (input, options) => call('GET', '/api/venues', input, options),
    login: (input, options) => call('POST', '/api/auth/login', input, options),
    logout: (input, options) => call('POST', '/api/auth/logout', input, options),
    pauseQueue: (input, options) => call('POST', '/api/queue/admin/{eventId}/pause', input, options),
    pauseRoom: (input, options) => call('POST', '/api/admin/vwr/pause/{eventId}', input, options),
    paymentWebhook: (input, options) => call('POST', '/api/payments/webhooks/{provider}', input, options),
    preparePayment: (input, options) => call('POST', '/api/payments/prepare', input, options),
    processPayment: (input, options) => call('POST', '/api/payments/process', input, options),
    publishEvent: (input, options) => call('POST', '/api/seller/events/{eventId}/publish', input, options),
    refreshSession: (input, options) => call('POST', '/api/auth/refresh', input, options),
    register: (input, options) => call('POST', '/api/auth/register', input, options),
    reserveBestAvailable: (input, options) => call('POST', '/api/seats/best-available', input, options),
    reserveSeats: (input, options) => call('POST', '/api/seats/reserve', input, options),
    reserveStanding: (input, options) => call('POST', '/api/reservations', input, options),
    resolveManualPayment: (input, options) => call('POST', '/api/admin/payments/manual/{manualId}/resolve', input, options),
    resumeQueue: (input, options) => call('POST', '/api/queue/admin/{eventId}/resume', input, options),
    resumeRoom: (input, options) => call('POST', '/api/admin/vwr/resume/{eventId}', input, options),
    sandboxDeposit: (input, options) => call('POST', '/api/payments/sandbox/{orderId}/{act}', input, options),
    sendQueueHeartbeat: (input, options) => call('POST', '/api/queue/heartbeat/{eventId}', input, options),
    setQueueMessage: (input, options) => call('POST', '/api/queue/admin/{eventId}/message', input, options),
    setQueueThreshold: (input, options) => call('PUT', '/api/queue/admin/threshold/{eventId}', input, options),
    setRoomBranding: (input, options) => call('PUT', '/api/admin/vwr/branding/{eventId}', input, options),
    setRoomMessage: (input, options) => call('POST', '/api/admin/vwr/message/{eventId}', input, options),
    setRoomSchedule: (input, options) => call('PUT', '/api/admin/vwr/schedule/{eventId}', input, options),
    startOidcSignIn: (input, options) => call('GET', '/api/auth/oidc/{provider}/start', input, options),
    streamQueue: (input, options) => call('GET', '/api/queue/stream/{eventId}', input, options),
    streamSeats: (input, options) => call('GET', '/api/seats/events/{eventId}/stream', input, options),
    syncCheckIns: (input, options) => call('POST', '/api/check-in/events/{eventId}/sync', input, options),
    traceQueueUser: (input, options) => call('GET', '/api/queue/admin/{eventId}/users/{userId}', input, options),
    traceRequest: (input, options) => call('GET', '/api/admin/vwr/trace/{requestId}', input, options),
    unblockSeats: (input, options) => call('POST', '/api/seller/events/{eventId}/seats/unblock', input, options),
    unsetQueueThreshold: (input, options) => call('DELETE', '/api/queue/admin/threshold/{eventId}', input, options),
    verifyToken: (input, options) => call('POST', '/api/auth/verify-token', input, options),
  };
}
