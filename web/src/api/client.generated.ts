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
    sections: {
      id: string;
      name: string;
      nameEn?: string | null;
      grade: string;
      rows: {
        label: string;
        seats: {
          label: string;
          x: number;
          y: number;
          grade?: string;
        }[];
      }[];
    }[];
    standingAreas: {
      id: string;
      name: string;
      nameEn?: string | null;
      capacity: number;
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
    createdAt: string;
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
    sections: {
      id: string;
      name: string;
      nameEn?: string | null;
      grade: string;
      rows: {
        label: string;
        seats: {
          label: string;
          x: number;
          y: number;
          grade?: string;
        }[];
      }[];
    }[];
    standingAreas: {
      id: string;
      name: string;
      nameEn?: string | null;
      capacity: number;
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
    createdAt: string;
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
    createdAt: string;
    disabledAt: string | null;
  };
};

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
  width: number;
  height: number;
  seatCount: number;
  standingCapacity: number;
  grades: string[];
  sections: {
    id: string;
    name: string;
    nameEn: string | null;
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
  }[];
  version: number;
  sellerId: string;
  sections: {
    id: string;
    name: string;
    nameEn: string | null;
    grade: string;
    rows: {
      label: string;
      seats: {
        label: string;
        x: number;
        y: number;
        grade?: string;
      }[];
    }[];
  }[];
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
    createdAt: string;
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
    createdAt: string;
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

export interface StartOidcSignInInput {
  params: {
    provider: string;
  };
  query?: {
    returnTo?: string | undefined;
  };
}

export type StartOidcSignInResult = undefined;

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
  /** Call an event off; buyers are refunded in full. Repeating it changes nothing */
  cancelEvent(input: CancelEventInput, options?: CallOptions): Promise<CancelEventResult>;
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
  /** Add an artist */
  createArtist(input: CreateArtistInput, options?: CallOptions): Promise<CreateArtistResult>;
  /** Begin a draft */
  createEvent(input: CreateEventInput, options?: CallOptions): Promise<CreateEventResult>;
  /** Draw a hall: sections, rows, seats, standing areas */
  createLayout(input: CreateLayoutInput, options?: CallOptions): Promise<CreateLayoutResult>;
  /** Add a venue */
  createVenue(input: CreateVenueInput, options?: CallOptions): Promise<CreateVenueResult>;
  /** Remove an artist who has no events */
  deleteArtist(input: DeleteArtistInput, options?: CallOptions): Promise<DeleteArtistResult>;
  /** Throw a draft away */
  deleteEvent(input: DeleteEventInput, options?: CallOptions): Promise<DeleteEventResult>;
  /** Remove a layout that no event uses */
  deleteLayout(input: DeleteLayoutInput, options?: CallOptions): Promise<DeleteLayoutResult>;
  /** Remove a venue that has neither layouts nor events */
  deleteVenue(input: DeleteVenueInput, options?: CallOptions): Promise<DeleteVenueResult>;
  /** Disable a user */
  disableUser(input: DisableUserInput, options?: CallOptions): Promise<DisableUserResult>;
  /** Enable a disabled user again */
  enableUser(input: EnableUserInput, options?: CallOptions): Promise<EnableUserResult>;
  /** Return from a provider */
  finishOidcSignIn(input: FinishOidcSignInInput, options?: CallOptions): Promise<FinishOidcSignInResult>;
  /** One artist */
  getArtist(input: GetArtistInput, options?: CallOptions): Promise<GetArtistResult>;
  /** One event with prices and sale phases */
  getEvent(input: GetEventInput, options?: CallOptions): Promise<GetEventResult>;
  /** The drawing of a hall, in columns */
  getLayout(input: GetLayoutInput, options?: CallOptions): Promise<GetLayoutResult>;
  /** Who am I */
  getMe(input?: undefined, options?: CallOptions): Promise<GetMeResult>;
  /** One of my events, and what still keeps it from being sold */
  getSellerEvent(input: GetSellerEventInput, options?: CallOptions): Promise<GetSellerEventResult>;
  /** A layout in the form in which it is drawn */
  getSellerLayout(input: GetSellerLayoutInput, options?: CallOptions): Promise<GetSellerLayoutResult>;
  /** The clock that sales open by */
  getTime(input?: undefined, options?: CallOptions): Promise<GetTimeResult>;
  /** One user */
  getUser(input: GetUserInput, options?: CallOptions): Promise<GetUserResult>;
  /** One venue and its newest layouts */
  getVenue(input: GetVenueInput, options?: CallOptions): Promise<GetVenueResult>;
  /** Artists by name */
  listArtists(input?: ListArtistsInput, options?: CallOptions): Promise<ListArtistsResult>;
  /** What is on and what opens when */
  listEvents(input?: ListEventsInput, options?: CallOptions): Promise<ListEventsResult>;
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
  /** Make an event public; repeating it changes nothing */
  publishEvent(input: PublishEventInput, options?: CallOptions): Promise<PublishEventResult>;
  /** Exchange the refresh token for a new pair */
  refreshSession(input?: RefreshSessionInput, options?: CallOptions): Promise<RefreshSessionResult>;
  /** Register with email and password */
  register(input: RegisterInput, options?: CallOptions): Promise<RegisterResult>;
  /** Sign in with a provider */
  startOidcSignIn(input: StartOidcSignInInput, options?: CallOptions): Promise<StartOidcSignInResult>;
  /** Is this access token good */
  verifyToken(input: VerifyTokenInput, options?: CallOptions): Promise<VerifyTokenResult>;
}

export function createClient(options: ClientOptions = {}): Client {
  const call = createCaller(options);
  return {
    cancelEvent: (input, options) => call('POST', '/api/seller/events/{eventId}/cancel', input, options),
    changeArtist: (input, options) => call('PUT', '/api/seller/artists/{artistId}', input, options),
    changeEvent: (input, options) => call('PUT', '/api/seller/events/{eventId}', input, options),
    changeLayout: (input, options) => call('PUT', '/api/seller/layouts/{layoutId}', input, options),
    changeUserRole: (input, options) => call('PUT', '/api/admin/users/{userId}/role', input, options),
    changeVenue: (input, options) => call('PUT', '/api/seller/venues/{venueId}', input, options),
    createArtist: (input, options) => call('POST', '/api/seller/artists', input, options),
    createEvent: (input, options) => call('POST', '/api/seller/events', input, options),
    createLayout: (input, options) => call('POST', '/api/seller/layouts', input, options),
    createVenue: (input, options) => call('POST', '/api/seller/venues', input, options),
    deleteArtist: (input, options) => call('DELETE', '/api/seller/artists/{artistId}', input, options),
    deleteEvent: (input, options) => call('DELETE', '/api/seller/events/{eventId}', input, options),
    deleteLayout: (input, options) => call('DELETE', '/api/seller/layouts/{layoutId}', input, options),
    deleteVenue: (input, options) => call('DELETE', '/api/seller/venues/{venueId}', input, options),
    disableUser: (input, options) => call('POST', '/api/admin/users/{userId}/disable', input, options),
    enableUser: (input, options) => call('POST', '/api/admin/users/{userId}/enable', input, options),
    finishOidcSignIn: (input, options) => call('GET', '/api/auth/oidc/{provider}/callback', input, options),
    getArtist: (input, options) => call('GET', '/api/artists/{artistId}', input, options),
    getEvent: (input, options) => call('GET', '/api/events/{eventId}', input, options),
    getLayout: (input, options) => call('GET', '/api/layouts/{layoutId}', input, options),
    getMe: (input, options) => call('GET', '/api/auth/me', input, options),
    getSellerEvent: (input, options) => call('GET', '/api/seller/events/{eventId}', input, options),
    getSellerLayout: (input, options) => call('GET', '/api/seller/layouts/{layoutId}', input, options),
    getTime: (input, options) => call('GET', '/api/time', input, options),
    getUser: (input, options) => call('GET', '/api/admin/users/{userId}', input, options),
    getVenue: (input, options) => call('GET', '/api/venues/{venueId}', input, options),
    listArtists: (input, options) => call('GET', '/api/artists', input, options),
    listEvents: (input, options) => call('GET', '/api/events', input, options),
    listSellerArtists: (input, options) => call('GET', '/api/seller/artists', input, options),
    listSellerEvents: (input, options) => call('GET', '/api/seller/events', input, options),
    listSellerLayouts: (input, options) => call('GET', '/api/seller/layouts', input, options),
    listSellerVenues: (input, options) => call('GET', '/api/seller/venues', input, options),
    listSignInProviders: (input, options) => call('GET', '/api/auth/providers', input, options),
    listUsers: (input, options) => call('GET', '/api/admin/users', input, options),
    listVenues: (input, options) => call('GET', '/api/venues', input, options),
    login: (input, options) => call('POST', '/api/auth/login', input, options),
    logout: (input, options) => call('POST', '/api/auth/logout', input, options),
    publishEvent: (input, options) => call('POST', '/api/seller/events/{eventId}/publish', input, options),
    refreshSession: (input, options) => call('POST', '/api/auth/refresh', input, options),
    register: (input, options) => call('POST', '/api/auth/register', input, options),
    startOidcSignIn: (input, options) => call('GET', '/api/auth/oidc/{provider}/start', input, options),
    verifyToken: (input, options) => call('POST', '/api/auth/verify-token', input, options),
  };
}
