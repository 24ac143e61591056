from ..runtime.kernel import kernel
@kernel
def collide_shapes(shapes, ia, pa, ra, ib, pb, rb, distance, cache, results):
    a=shapes[ia]; b=shapes[ib]
    if a.kind==1 and b.kind==1:
        d=(pb[0]-pa[0],pb[1]-pa[1],pb[2]-pa[2])
        L=(d[0]*d[0]+d[1]*d[1]+d[2]*d[2])**0.5
        s=L-a.radius-b.radius
        if s>distance: return 0, cache
        r=results[0]
        for k in range(3):
            r.normal[k]=d[k]/L
            r.points[0,k]=pa[k]+d[k]/L*(a.radius+0.5*s)
        r.separations[0]=s; r.point_count=1; r.features[0]=0; r.face=-1
        return 1, cache
    if b.kind==7 or a.kind==7:
        if a.kind==7:
            pl=a.plane; c=pb; rad=b.radius; sg=1.0; o=pa
        else:
            pl=b.plane; c=pa; rad=a.radius; sg=-1.0; o=pb
        h=pl[0]*(c[0]-o[0])+pl[1]*(c[1]-o[1])+pl[2]*(c[2]-o[2])-pl[3]
        s=h-rad
        if s>distance: return 0, cache
        r=results[0]
        for k in range(3):
            r.normal[k]=sg*pl[k]
            r.points[0,k]=c[k]-pl[k]*(rad+0.5*s)
        r.separations[0]=s; r.point_count=1; r.features[0]=0; r.face=-1
        return 1, cache
    return 0, cache
